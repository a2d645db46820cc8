// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda.cpp in builds without nvcc.
#include "kernels/exposure/exposure.h"

#include "common/error.h"

namespace vigil::exposure {

std::unique_ptr<Exposure> make_cuda(Device &) {
  fail(Error::Kind::no_device, "this build has no CUDA backend; build with nvcc 12 or newer, or use the CPU");
}

} // namespace vigil::exposure
