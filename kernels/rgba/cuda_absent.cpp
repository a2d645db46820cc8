// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda.cpp in builds without nvcc.
#include "kernels/rgba/rgba.h"

#include "common/error.h"

namespace vigil::rgba {

std::unique_ptr<Converter> make_cuda(Device &) {
  fail(Error::Kind::no_device, "this build has no CUDA backend; build with nvcc 12 or newer");
}

} // namespace vigil::rgba
