// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda.cpp in builds without nvcc.
#include "kernels/cleanup/cleanup.h"

#include "common/error.h"

namespace vigil::cleanup {

std::unique_ptr<Cleanup> make_cuda(Device &, int, int) {
  fail(Error::Kind::no_device, "this build has no CUDA backend; build with nvcc 12 or newer, or use the CPU");
}

} // namespace vigil::cleanup
