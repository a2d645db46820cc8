// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda.cpp in builds without nvcc.
#include "kernels/ghost/ghost.h"

#include "common/error.h"

namespace vigil::ghost {

std::unique_ptr<Edges> make_cuda(Device &) {
  fail(Error::Kind::no_device, "this build has no CUDA backend; build with nvcc 12 or newer, or use the CPU");
}

} // namespace vigil::ghost
