// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/compute_selector.h"

#include "gst/errors.h"
#include "gst/memory/gl_compute_mapping.h"
#include "gst/memory/gl_mapping.h"
#include "gst/memory/high_bytes_mapping.h"
#include "gst/transform/debug.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

namespace vigil::gst {

GType compute_type() {
  static const GEnumValue values[] = {
      {int(ComputeChoice::automatic),
       "CUDA where a device is, else OpenGL where it runs on a GPU, else the CPU, with a warning", "auto"},
      {int(ComputeChoice::cuda), "CUDA; an error where no device is", "cuda"},
      {int(ComputeChoice::cpu), "The CPU", "cpu"},
      {int(ComputeChoice::gl), "Compute shaders of OpenGL; an error where they cannot do the work", "gl"},
      {},
  };
  static const GType type = enum_type("VigilComputeBackend", values);
  return type;
}

bool is_gpu(const Device *gl) {
  if (gl) return !is_software(*gl);
  constexpr std::string_view drivers[] = {"renderD", "nvidia0", "mali0", "kgsl-3d0"}; // of Linux
  for (const char *folder : {"/dev/dri", "/dev"}) {
    std::error_code none;
    for (std::filesystem::directory_iterator i(folder, none), end; !none && i != end; i.increment(none)) {
      const std::string name = i->path().filename().string();
      if (std::any_of(std::begin(drivers), std::end(drivers),
                      [&](std::string_view d) { return name.starts_with(d); }))
        return true;
    }
  }
  return false;
}

Device &ComputeSelector::device() const {
  Device *d = cuda_device_ ? cuda_device_.get() : gl_device_ ? gl_device_.get() : cpu_.get();
  if (!d) fail_without_device();
  return *d;
}

void ComputeSelector::open() {
  const auto [backend, options, in_gl] = wish_();
  choice_ = backend;
  why_no_cuda_.clear();
  if (backend == ComputeChoice::automatic || backend == ComputeChoice::cuda) {
    try {
      cuda_device_ = cuda.open(owner_, options.device_id);
      return;
    } catch (const Error &e) {
      if (backend == ComputeChoice::cuda || e.kind() != Error::Kind::no_device)
        fail(e.kind(), e.what(), cpu_needs_no_gpu);
      why_no_cuda_ = e.what();
    }
    if (!in_gl || !is_gpu_(nullptr)) {
      post_warning(owner_, Error(Error::Kind::no_device, cpu_serves(why_no_cuda_)));
      choice_ = ComputeChoice::cpu;
    }
  }
  cpu_ = open_cpu(options.threads);
  without_cuda_ = true;
}

void ComputeSelector::close() noexcept {
  without_cuda_ = false;
  cuda_device_.reset();
  gl_device_.reset();
  cpu_.reset();
  gl.close();
  cuda.close();
}

// Throws where OpenGL cannot do the work.
void ComputeSelector::try_gl() {
  const std::shared_ptr<Device> device = open_gl_compute(gl);
  if (choice_ == ComputeChoice::automatic && !is_gpu_(device.get()))
    fail(Error::Kind::no_device, "OpenGL draws on the processor (", device->name(), ")");
  try_out_(*device);
  gl_device_ = device;
  GST_INFO_OBJECT(owner_, "works in compute shaders of %s", device->name().c_str());
}

void ComputeSelector::prepare(const FrameKind &) {
  if (cuda_device_ || gl_device_ || choice_ == ComputeChoice::cpu) return;
  try {
    try_gl();
  } catch (const Error &e) {
    if (choice_ != ComputeChoice::automatic) fail(e.kind(), e.what(), cpu_needs_no_gpu);
    choice_ = ComputeChoice::cpu; // until the next start
    warning_.emplace(Error::Kind::no_device, cpu_serves(text(why_no_cuda_, "; ", e.what())));
  }
}

bool ComputeSelector::is_elsewhere(GstBuffer *buffer, const FrameKind &kind) {
  if (cuda_device_) return kind.cuda_memory && is_of_other_cuda(buffer);
  if (!gl_device_) return false;
  return !works_in(gl, *gl_device_) || (kind.gl_memory && is_in_other_gl(buffer, *gl_device_));
}

void ComputeSelector::follow(GstBuffer *buffer, const FrameKind &kind) {
  GST_INFO_OBJECT(owner_, "the frames are of another context: going over to it");
  if (cuda_device_) {
    cuda_device_.reset();
    cuda_device_ = cuda.adopt(buffer);
    return;
  }
  gl_device_.reset();
  if (kind.gl_memory && is_gl_memory(buffer)) follow_textures(gl, buffer);
}

std::unique_ptr<FrameMapping> ComputeSelector::make_mapping(const FrameKind &kind) {
  if (gl_device_ && kind.gl_memory) return make_texture_copies(*gl_device_, kind);
  auto frames = std::make_unique<DeviceFrameMapping>(device(), kind);
  if (needs_high_bytes(kind)) return make_high_bytes_mapping(device(), kind, std::move(frames));
  return frames;
}

} // namespace vigil::gst
