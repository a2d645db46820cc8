// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda.cpp in builds without nvcc.
#include "kernels/bilateral/bilateral.h"

#include "common/error.h"

namespace vigil::bilateral {

std::unique_ptr<Filter> make_cuda(Device &, const Config &) {
  fail(Error::Kind::no_device, "this build has no CUDA backend; build with nvcc 12 or newer, or use OpenCL");
}

} // namespace vigil::bilateral
