// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda.cpp in builds without nvcc.
#include "kernels/colinearseg/segmenter.h"

#include "common/error.h"

namespace vigil::colinearseg {

std::unique_ptr<Segmenter> make_cuda(Device &, const Config &, int) {
  fail(Error::Kind::no_device, "this build has no CUDA backend; build with nvcc 12 or newer, or use OpenGL");
}

} // namespace vigil::colinearseg
