// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/device_selector.h"

#include "gst/errors.h"

namespace vigil::gst {

void HostCopyWarning::post(GstElement *element, const Device &cuda) {
  if (std::exchange(posted_, true)) return;
  post_warning(
      element,
      Error(Error::Kind::bad_setting,
            text("the CUDA device ", cuda.name(),
                 " does not reach OpenGL's textures, since OpenGL runs elsewhere: each frame goes "
                 "through the host. Let both use one GPU (GST_GL_WINDOW=egl-device; cuda-device-id)")));
}

bool DeviceSelector::is_of_other_cuda(GstBuffer *buffer) {
  if (!is_cuda_memory(buffer) || cuda.owns(buffer)) return false;
  const int id = cuda_device_id();
  if (!cuda.could_adopt(buffer, id))
    fail(Error::Kind::bad_setting, "the frames are in the memory of another CUDA device than cuda-device-id ",
         id, "; set it to theirs, or to -1");
  return true;
}

void DeviceSelector::warn_of_host_copies(const FrameKind &kind, const ByteCounts &counts) {
  const Device *device = cuda_device();
  if (!warned_ && (kind.gl_memory || kind.cuda_memory) && device && counts.to_device > 0)
    host_copies_.post(owner_, *device);
}

} // namespace vigil::gst
