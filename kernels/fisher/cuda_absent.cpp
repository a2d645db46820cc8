// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of cuda.cpp in builds without nvcc.
#include "kernels/fisher/fisher.h"

#include "common/error.h"

namespace vigil::fisher {
namespace {

[[noreturn]] void absent() {
  fail(Error::Kind::no_device, "this build has no CUDA backend; build with nvcc 12 or newer, or use the CPU");
}

} // namespace

std::unique_ptr<Extractor> make_cuda(Device &, int, int, const SiftParams &) {
  absent();
}
std::unique_ptr<Encoder> make_cuda(Device &, const Codebook &, const Classifier &, int) {
  absent();
}

} // namespace vigil::fisher
