// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cuda_runtime_api.h>

namespace vigil::test {

// Occupies the whole of the current CUDA device for so long: what is submitted after it to other streams,
// copies on the device among it, waits or crawls. A missing wait then shows as a wrong picture; short kernels
// hide it.
void keep_busy(double milliseconds, int multiprocessors, cudaStream_t);

} // namespace vigil::test
