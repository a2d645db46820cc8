// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda.cpp in builds without nvcc.
#include "kernels/blobs/blobs.h"

#include "common/error.h"

namespace vigil::blobs {

std::unique_ptr<Finder> make_cuda(Device &, const Config &) {
  fail(Error::Kind::no_device, "this build has no CUDA backend; build with nvcc 12 or newer, or use the CPU");
}

} // namespace vigil::blobs
