// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/cuda_place.h"

#include "gst/errors.h"
#include "gst/memory/luma_slot.h"
#include "gst/transform/debug.h"

namespace vigil::gst {

GType backend_type() {
  static const GEnumValue values[] = {
      {int(BackendChoice::automatic), "CUDA where a device is, otherwise the CPU, with a warning", "auto"},
      {int(BackendChoice::cuda), "CUDA; an error where no device is", "cuda"},
      {int(BackendChoice::cpu), "The CPU", "cpu"},
      {},
  };
  static const GType type = enum_type("VigilBackend", values);
  return type;
}

void CudaPlace::open() {
  const auto [backend, options] = wish_();
  if (backend != BackendChoice::cpu) {
    try {
      device_ = cuda.open(owner_, options.device_id);
      return;
    } catch (const Error &e) {
      const bool fall_back = backend == BackendChoice::automatic && e.kind() == Error::Kind::no_device;
      if (!fall_back) fail(e.kind(), e.what(), "; backend=cpu runs without a GPU");
      post_warning(owner_, Error(e.kind(), text(e.what(), ". The CPU does the work; backend=cpu is silent")));
    }
  }
  device_ = open_cpu(options.threads);
  on_cpu_ = true;
}

void CudaPlace::close() noexcept {
  on_cpu_ = false;
  device_.reset();
  gl.close();
  cuda.close();
}

Device &CudaPlace::device_for(const FrameKind &) {
  if (!device_) fail_without_device();
  return *device_;
}

bool CudaPlace::is_elsewhere(GstBuffer *buffer, const FrameKind &kind) {
  return kind.cuda_memory && is_of_other_cuda(buffer);
}

void CudaPlace::follow(GstBuffer *buffer, const FrameKind &) {
  GST_INFO_OBJECT(owner_, "the frames are of another CUDA context: going over to it");
  device_.reset();
  device_ = cuda.adopt(buffer);
}

std::unique_ptr<Slot> CudaPlace::make_slot(const FrameKind &kind) {
  if (needs_luma_slot(kind)) return make_luma_slot(*device_, kind);
  return std::make_unique<FrameSlot>(*device_, kind);
}

const Device *CudaPlace::cuda_device() const {
  return device_ && device_->backend() == Backend::cuda ? device_.get() : nullptr;
}

} // namespace vigil::gst
