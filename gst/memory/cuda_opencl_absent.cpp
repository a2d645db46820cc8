// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda_opencl_mapping.cpp in builds without CUDA, where no element gets as far as this.
#include "gst/memory/cuda_opencl_mapping.h"

#include "common/error.h"

namespace vigil::gst {

std::unique_ptr<FrameMapping> make_cuda_mapping(Device &, const FrameKind &, const CudaFrames &) {
  fail(Error::Kind::no_device, "this build has no CUDA");
}
std::string why_not_shared(Device &, Device &) {
  return "this build has no CUDA";
}

} // namespace vigil::gst
