// SPDX-License-Identifier: LGPL-2.1-or-later
// From the parts' sums to the vector and the scores, in two launches: a block for each component, then the
// norm, which every block adds up in the same order.
#include "common/cuda/device.h"
#include "kernels/fisher/cuda/encode.h"

namespace vigil::fisher::cuda {
namespace {

constexpr unsigned all = 0xffffffffu;
__device__ __forceinline__ float total(float v) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) v += __shfl_xor_sync(all, v, apart);
  return v;
}

constexpr int shares = 3; // threads that add up the parts of one element
constexpr int row_most = (max_dimension + 31) / 32 * 32;

// threads: (32, 2 * row / 32, shares)
__global__ void component_kernel(const Mixture m, const Parts parts, float per_descriptor, float *norms,
                                 float *vector, const Scores scores) {
  __shared__ float sums[shares][2 * row_most];
  __shared__ float squares[2 * row_most / 32];
  const int j = blockIdx.x, element = threadIdx.y * 32 + threadIdx.x, share = threadIdx.z;
  const std::size_t apart = static_cast<std::size_t>(m.components) * 2 * m.row;
  const unsigned picture = blockIdx.y;
  norms += static_cast<std::size_t>(picture) * m.components;
  vector += static_cast<std::size_t>(picture) * 2 * m.components * m.dimension;
  float sum = 0;
  const float *from =
      parts.sums + picture * parts.count * apart + static_cast<std::size_t>(j) * 2 * m.row + element;
#pragma unroll 8
  for (int p = share; p < parts.count; p += shares) sum += from[p * apart];
  sums[share][element] = sum;
  __syncthreads();
  const int half = element / m.row, k = element % m.row;
  const std::size_t at = (static_cast<std::size_t>(half) * m.components + j) * m.dimension + k;
  if (share == 0) {
    float value = 0;
    if (k < m.dimension) {
      for (int s = 1; s < shares; s++) sum += sums[s][element];
      const float z = sum * per_descriptor * m.root[half * m.components + j];
      value = copysignf(sqrtf(fabsf(z)), z);
      vector[at] = value;
    }
    sums[0][element] = value;
    const float square = total(value * value);
    if (threadIdx.x == 0) squares[threadIdx.y] = square;
  }
  __syncthreads();
  const int warp = share * blockDim.y + threadIdx.y, warps = shares * blockDim.y;
  if (warp == 0) {
    const float s = total(threadIdx.x < blockDim.y ? squares[threadIdx.x] : 0);
    if (threadIdx.x == 0) norms[j] = s;
  }
  for (int c = warp; c < scores.classes; c += warps) {
    const float *weights = scores.weights + static_cast<std::size_t>(c) * 2 * m.components * m.dimension;
    float dot = 0;
    for (int h = 0; h < 2; h++)
      for (int i = threadIdx.x; i < m.dimension; i += 32)
        dot += weights[(static_cast<std::size_t>(h) * m.components + j) * m.dimension + i] *
               sums[0][h * m.row + i];
    dot = total(dot);
    if (threadIdx.x == 0) scores.partial[static_cast<std::size_t>(c) * m.components + j] = dot;
  }
}

constexpr int threads = 256;

// The sum of n values, in an order that depends on n alone. All threads come here.
__device__ float sum_of(const float *values, int n) {
  __shared__ float of_warp[threads / 32];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += threads) sum += values[i];
  sum = total(sum);
  __syncthreads(); // of_warp may be in use still
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int w = 0; w < threads / 32; w++) sum += of_warp[w];
  return sum;
}

__global__ void __launch_bounds__(threads)
    norm_kernel(int components, int length, const float *norms, float *vector, const Scores scores) {
  norms += static_cast<std::size_t>(blockIdx.y) * components;
  vector += static_cast<std::size_t>(blockIdx.y) * length;
  const float share = 1 / fmaxf(sqrtf(sum_of(norms, components)), float(smallest_norm));
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < length) vector[i] *= share;
  for (int c = blockIdx.x; c < scores.classes; c += gridDim.x) {
    const float dot = sum_of(scores.partial + static_cast<std::size_t>(c) * components, components);
    if (threadIdx.x == 0) scores.scores[c] = dot * share + scores.bias[c];
  }
}

} // namespace

void launch_vector(const Mixture &m, const Parts &parts, int descriptors, float *norms, float *vector,
                   const Scores &scores, cudaStream_t stream, int pictures) {
  Scores wanted = scores;
  if (!wanted.scores) wanted.classes = 0;
  const float per_descriptor = 1.f / static_cast<float>(descriptors > 0 ? descriptors : 1);
  const dim3 block(32, 2 * m.row / 32, shares);
  static_assert(2 * row_most * shares <= 1024);
  component_kernel<<<dim3(m.components, pictures), block, 0, stream>>>(m, parts, per_descriptor, norms,
                                                                       vector, wanted);
  cuda_check(cudaGetLastError(), "Fisher vector");
  const int length = 2 * m.components * m.dimension;
  norm_kernel<<<dim3((length - 1) / threads + 1, pictures), threads, 0, stream>>>(m.components, length, norms,
                                                                                  vector, wanted);
  cuda_check(cudaGetLastError(), "Fisher vector");
}

} // namespace vigil::fisher::cuda
