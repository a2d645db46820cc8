// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/elements/busy.h"

namespace vigil::test {
namespace {

__device__ unsigned long long nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

__global__ void busy_kernel(unsigned long long duration) {
  const unsigned long long begin = nanoseconds();
  while (nanoseconds() - begin < duration) {
  }
}

} // namespace

void keep_busy(double milliseconds, int multiprocessors, cudaStream_t stream) {
  busy_kernel<<<2 * multiprocessors, 1024, 0, stream>>>(static_cast<unsigned long long>(milliseconds * 1e6));
}

} // namespace vigil::test
