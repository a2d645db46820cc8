// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/backend.h"

#include "common/error.h"
#include "gst/errors.h"

namespace vigil::gst {

GType backend_type() {
  static const GEnumValue values[] = {
      {int(Choice::automatic), "CUDA where a device is, otherwise the CPU, with a warning", "auto"},
      {int(Choice::cuda), "CUDA; an error where no device is", "cuda"},
      {int(Choice::cpu), "The CPU", "cpu"},
      {},
  };
  static const GType type = enum_type("VigilBackend", values);
  return type;
}

std::unique_ptr<Device> open_device(GstElement *element, CudaContext &cuda, Choice choice,
                                    const Place &place) {
  if (choice != Choice::cpu) {
    try {
      return cuda.open(element, place.cuda_device_id);
    } catch (const Error &e) {
      const bool fall_back = choice == Choice::automatic && e.kind() == Error::Kind::no_device;
      if (!fall_back) fail(e.kind(), e.what(), "; backend=cpu runs without a GPU");
      post_warning(element,
                   Error(e.kind(), text(e.what(), ". The CPU does the work; backend=cpu is silent")));
    }
  }
  return open_cpu(place.threads);
}

bool needs_other_context(CudaContext &cuda, const FrameKind &kind, GstBuffer *buffer, const Place &place) {
  if (!kind.cuda_memory || !is_cuda_memory(buffer) || cuda.owns(buffer)) return false;
  if (!cuda.could_adopt(buffer, place.cuda_device_id))
    fail(Error::Kind::bad_setting, "the frames are in the memory of another CUDA device than cuda-device-id ",
         place.cuda_device_id, "; set it to theirs, or to -1");
  return true;
}

void HostCopies::warn(GstElement *element, const Device &cuda) {
  if (warned_) return;
  warned_ = true;
  post_warning(
      element,
      Error(Error::Kind::bad_setting,
            text("the CUDA device ", cuda.name(),
                 " does not reach OpenGL's textures, since OpenGL runs elsewhere: each frame goes "
                 "through the host. Let both use one GPU (GST_GL_WINDOW=egl-device; cuda-device-id)")));
}

void HostCopies::warn(GstElement *element, const FrameKind &kind, const Device &device,
                      const ByteCounts &counts) {
  if (kind.gl_memory && device.backend() == Backend::cuda && counts.to_device > 0) warn(element, device);
}

} // namespace vigil::gst
