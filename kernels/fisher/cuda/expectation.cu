// SPDX-License-Identifier: LGPL-2.1-or-later
// Totals of a block of rows, see expectation.h: a thread block for each component, and one more for the
// likelihood.
#include "common/cuda/device.h"
#include "kernels/fisher/cuda/expectation.h"

namespace vigil::fisher::cuda {
namespace {

constexpr int threads = 128;

// Each sum has one thread, and kernels of one stream run in order: no atomics.
__device__ __forceinline__ void add(Fixed &to, double v) {
  const double units = trunc(v);
  to.units += __double2ll_rn(units);
  to.parts += __double2ll_rn((v - units) * 0x1p40);
}

__device__ void add_component(const Mixture &m, const Parts &parts, const Totals &totals, int j) {
  double mass = 0;
  for (int p = 0; p < parts.count; p++)
    mass += double(parts.mass[static_cast<std::size_t>(p) * m.components + j]);
  if (threadIdx.x == 0) add(totals.mass[j], mass);
  for (int k = threadIdx.x; k < m.dimension; k += threads) {
    double u = 0, v = 0;
    for (int p = 0; p < parts.count; p++) {
      const float *from = parts.sums + (static_cast<std::size_t>(p) * m.components + j) * 2 * m.row + k;
      u += double(from[0]);
      v += double(from[m.row]);
    }
    // Of z = (x - mean) / sigma: u is the sum of q z, v that of q (z^2 - 1).
    const double mean = double(m.means[static_cast<std::size_t>(j) * m.row + k]),
                 sigma = 1 / double(m.inverse[static_cast<std::size_t>(j) * m.row + k]);
    Fixed *to = totals.sums + static_cast<std::size_t>(j) * 2 * m.dimension + k;
    add(to[0], sigma * sigma * (v + mass) + mean * (2 * sigma * u + mean * mass));
    add(to[m.dimension], sigma * u + mean * mass);
  }
}

__device__ void add_likelihood(const Chunk &chunk, Fixed &to) {
  __shared__ double sums[threads];
  double sum = 0;
  for (int i = threadIdx.x; i < chunk.count; i += threads) sum += double(chunk.likelihoods[i]);
  sums[threadIdx.x] = sum;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) add(to, sums[0] * std::numbers::ln2);
}

__global__ void __launch_bounds__(threads)
    totals_kernel(const Mixture m, const Chunk chunk, const Parts parts, const Totals totals) {
  const int j = blockIdx.x;
  if (j < m.components)
    add_component(m, parts, totals, j);
  else
    add_likelihood(chunk, *totals.likelihood);
}

} // namespace

void launch_totals(const Mixture &m, const Chunk &chunk, const Parts &parts, const Totals &totals,
                   cudaStream_t stream) {
  totals_kernel<<<m.components + 1, threads, 0, stream>>>(m, chunk, parts, totals);
  cuda_check(cudaGetLastError(), "totals of the expectation step");
}

} // namespace vigil::fisher::cuda
