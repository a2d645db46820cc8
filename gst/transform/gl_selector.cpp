// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/gl_selector.h"

#include "gst/errors.h"
#include "gst/memory/gl_mapping.h"
#include "gst/transform/debug.h"
#include "gst/video/formats.h"

namespace vigil::gst {
namespace {

// Whether kernels read this format; OpenGL converts others, too.
bool kernels_read(const FrameKind &kind) {
  try {
    pixel_format(kind.info);
    return true;
  } catch (const Error &) {
    return false;
  }
}

} // namespace

void GlSelector::open_cuda() {
  if (cuda_device_) return;
  try {
    cuda_device_ = cuda.open(owner_, cuda_device_id());
  } catch (const Error &e) {
    fail(e.kind(), e.what(), "; backend=opengl and backend=cpu work without a CUDA device");
  }
}

void GlSelector::open() {
  choice_ = wish_().backend;
  cpu_ = open_cpu();
  without_cuda_ = choice_ == GlChoice::cpu;
  decided_ = without_cuda_.load();
  working_ = Backend::cpu;
  if (choice_ != GlChoice::cuda) return;
  open_cuda();
  working_ = Backend::cuda;
}

void GlSelector::close() noexcept {
  without_cuda_ = false;
  decided_ = false;
  working_ = Backend::cpu;
  gl_device_.reset();
  cuda_device_.reset();
  cpu_.reset();
  gl.close();
  cuda.close();
}

Device &GlSelector::device() const {
  Device *d = working_ == Backend::gl     ? gl_device_.get()
              : working_ == Backend::cuda ? cuda_device_.get()
                                          : cpu_.get();
  if (!d) fail_without_device();
  return *d;
}

// The device of that backend is there afterwards.
Backend GlSelector::choose(const FrameKind &kind) {
  if (choice_ == GlChoice::cpu) return Backend::cpu;
  if (kind.cuda_memory || choice_ == GlChoice::cuda) open_cuda();
  if (choice_ == GlChoice::cuda || (choice_ == GlChoice::automatic && kind.cuda_memory)) return Backend::cuda;
  const bool may_fall_back = choice_ == GlChoice::automatic && kernels_read(kind);
  try {
    if (!gl_device_) gl_device_ = open_gl_device(gl);
    if (!may_fall_back || !is_software(*gl_device_)) return Backend::gl;
    GST_INFO_OBJECT(owner_, "OpenGL draws on the processor (%s): the CPU backend does the work",
                    gl_device_->name().c_str());
  } catch (const Error &e) {
    if (!may_fall_back || kind.gl_memory || e.kind() != Error::Kind::no_device) throw;
    GST_INFO_OBJECT(owner_, "the CPU backend does the work: %s", e.what());
  }
  return Backend::cpu;
}

void GlSelector::prepare(const FrameKind &kind) {
  working_ = choose(kind);
  decided_ = true;
}

Device &GlSelector::device_for(const FrameKind &) {
  return device();
}

bool GlSelector::is_elsewhere(GstBuffer *buffer, const FrameKind &kind) {
  if (kind.cuda_memory && is_cuda_memory(buffer) && !cuda.owns(buffer)) return true;
  if (working_ != Backend::gl || !gl_device_) return false;
  return !works_in(gl, *gl_device_) || (kind.gl_memory && is_in_other_gl(buffer, *gl_device_));
}

void GlSelector::follow(GstBuffer *buffer, const FrameKind &kind) {
  GST_INFO_OBJECT(owner_, "the frames are of another context: going over to it");
  if (kind.cuda_memory && is_cuda_memory(buffer) && !cuda.owns(buffer)) {
    cuda_device_.reset();
    cuda_device_ = cuda.adopt(buffer);
    return;
  }
  gl_device_.reset();
  if (kind.gl_memory && is_gl_memory(buffer)) gl_device_ = follow_gl_device(gl, buffer);
}

std::unique_ptr<FrameMapping> GlSelector::make_mapping(const FrameKind &kind) {
  if (working_ == Backend::gl) return make_gl_mapping(*gl_device_, kind, cuda_device_.get());
  return std::make_unique<DeviceFrameMapping>(device(), kind);
}

} // namespace vigil::gst
