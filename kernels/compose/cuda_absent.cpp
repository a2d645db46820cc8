// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda.cpp in builds without nvcc.
#include "kernels/compose/compose.h"

#include "common/error.h"

namespace vigil::compose {

std::unique_ptr<Composer> make_cuda(Device &) {
  fail(Error::Kind::no_device, "this build has no CUDA backend; build with nvcc 12 or newer, or use the CPU");
}

} // namespace vigil::compose
