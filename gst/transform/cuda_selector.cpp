// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/cuda_selector.h"

#include "gst/errors.h"
#include "gst/memory/luma_mapping.h"
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

std::unique_ptr<Device> open_chosen_device(GstElement *element, CudaContext &cuda, BackendChoice backend,
                                           int device_id) {
  if (backend == BackendChoice::cpu) return nullptr;
  try {
    return cuda.open(element, device_id);
  } catch (const Error &e) {
    const bool fall_back = backend == BackendChoice::automatic && e.kind() == Error::Kind::no_device;
    if (!fall_back) fail(e.kind(), e.what(), cpu_needs_no_gpu);
    post_warning(element, Error(e.kind(), cpu_serves(e.what())));
    return nullptr;
  }
}

void CudaSelector::open() {
  const auto [backend, options] = wish_();
  device_ = open_chosen_device(owner_, cuda, backend, options.device_id);
  if (device_) return;
  device_ = open_cpu(options.threads);
  without_cuda_ = true;
}

void CudaSelector::close() noexcept {
  without_cuda_ = false;
  device_.reset();
  gl.close();
  cuda.close();
}

Device &CudaSelector::device_for(const FrameKind &) {
  if (!device_) fail_without_device();
  return *device_;
}

bool CudaSelector::is_elsewhere(GstBuffer *buffer, const FrameKind &kind) {
  return kind.cuda_memory && is_of_other_cuda(buffer);
}

void CudaSelector::follow(GstBuffer *buffer, const FrameKind &) {
  GST_INFO_OBJECT(owner_, "the frames are of another CUDA context: going over to it");
  device_.reset();
  device_ = cuda.adopt(buffer);
}

std::unique_ptr<FrameMapping> CudaSelector::make_mapping(const FrameKind &kind) {
  if (needs_luma_mapping(kind)) return make_luma_mapping(*device_, kind);
  return std::make_unique<DeviceFrameMapping>(*device_, kind);
}

const Device *CudaSelector::cuda_device() const {
  return device_ && device_->backend() == Backend::cuda ? device_.get() : nullptr;
}

} // namespace vigil::gst
