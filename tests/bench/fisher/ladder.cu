// SPDX-License-Identifier: LGPL-2.1-or-later
// The paper's algorithms 2 to 5.
#include "common/cuda/device.h"
#include "tests/bench/fisher/ladder_steps.h"

namespace vigil::fisher::ladder {
namespace {

__device__ __forceinline__ float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Adds up a block's values in a tree; the sum is in values[0].
template <class T>
__device__ void add_up(T (&values)[threads]) {
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) values[threadIdx.x] = values[threadIdx.x] + values[threadIdx.x + half];
    __syncthreads();
  }
}

// Algorithm 2's end: from likelihoods to posteriors.
__device__ void normalise(float *q, int components, float most, float (&partial)[threads], float *out) {
  float sum = 0;
  for (int j = threadIdx.x; j < components; j += threads) sum += q[j] = expf(q[j] - most);
  partial[threadIdx.x] = sum;
  add_up(partial);
  for (int j = threadIdx.x; j < components; j += threads) out[j] = q[j] / partial[0];
  __syncthreads();
}

__global__ void __launch_bounds__(threads)
    plain_posteriors(const FrameProcessor w, const float *x, int count) {
  __shared__ float partial[threads], q[most_components], most;
  const int k = threadIdx.x, first = blockIdx.x * first_chunk;
  for (int i = first; i < min(first + first_chunk, count); i++) {
    const float value = k < w.dimension ? x[static_cast<std::size_t>(i) * w.dimension + k] : 0;
    if (k == 0) most = -3e38f;
    for (int j = 0; j < w.components; j++) {
      const int at = j * w.dimension + k;
      const float z = k < w.dimension ? (value - w.means[at]) * w.inverse[at] : 0;
      partial[k] = z * z;
      add_up(partial);
      if (k == 0) {
        q[j] = w.constant[j] - 0.5f * partial[0];
        most = fmaxf(most, q[j]);
      }
      __syncthreads();
    }
    normalise(q, w.components, most, partial, w.posteriors + static_cast<std::size_t>(i) * w.components);
  }
}

// Distances of 4 descriptors to 2 components: as eight numbers, or as two words of four.
template <bool vectors>
struct Distances;
template <>
struct Distances<false> {
  float value[8][threads];
  __device__ void put(int c, float4 v) {
    value[4 * c][threadIdx.x] = v.x;
    value[4 * c + 1][threadIdx.x] = v.y;
    value[4 * c + 2][threadIdx.x] = v.z;
    value[4 * c + 3][threadIdx.x] = v.w;
  }
  __device__ void add() {
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half)
        for (int i = 0; i < 8; i++) value[i][threadIdx.x] += value[i][threadIdx.x + half];
      __syncthreads();
    }
  }
  __device__ float sum(int c, int i) const { return value[4 * c + i][0]; }
};
template <>
struct Distances<true> {
  float4 value[2][threads];
  __device__ void put(int c, float4 v) { value[c][threadIdx.x] = v; }
  __device__ void add() {
    __syncthreads();
    for (int half = threads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half)
        for (int c = 0; c < 2; c++)
          value[c][threadIdx.x] = value[c][threadIdx.x] + value[c][threadIdx.x + half];
      __syncthreads();
    }
  }
  __device__ float sum(int c, int i) const { return reinterpret_cast<const float *>(&value[c][0])[i]; }
};

template <bool vectors>
__global__ void __launch_bounds__(threads)
    tiled_posteriors(const FrameProcessor w, const float *x, int count) {
  __shared__ Distances<vectors> distances;
  __shared__ float partial[threads], q[first_chunk][most_components], most[first_chunk];
  const int k = threadIdx.x, first = blockIdx.x * first_chunk;
  const auto value = [&](int i) {
    return k < w.dimension && first + i < count ? x[static_cast<std::size_t>(first + i) * w.dimension + k]
                                                : 0;
  };
  const float4 v = make_float4(value(0), value(1), value(2), value(3));
  if (k < first_chunk) most[k] = -3e38f;
  for (int j = 0; j < w.components; j += 2) {
    for (int c = 0; c < 2; c++) {
      const int at = min(j + c, w.components - 1) * w.dimension + k;
      const float mean = k < w.dimension ? w.means[at] : 0, inverse = k < w.dimension ? w.inverse[at] : 0;
      const float4 z = make_float4((v.x - mean) * inverse, (v.y - mean) * inverse, (v.z - mean) * inverse,
                                   (v.w - mean) * inverse);
      distances.put(c, make_float4(z.x * z.x, z.y * z.y, z.z * z.z, z.w * z.w));
    }
    distances.add();
    if (k == 0)
      for (int c = 0; c < 2 && j + c < w.components; c++)
        for (int i = 0; i < first_chunk; i++) {
          q[i][j + c] = w.constant[j + c] - 0.5f * distances.sum(c, i);
          most[i] = fmaxf(most[i], q[i][j + c]);
        }
    __syncthreads();
  }
  for (int i = 0; i < first_chunk && first + i < count; i++)
    normalise(q[i], w.components, most[i], partial,
              w.posteriors + static_cast<std::size_t>(first + i) * w.components);
}

__device__ void clear_copy(const FrameProcessor &w, float *copy) {
  for (int i = threadIdx.x; i < w.components * 2 * w.row; i += threads) copy[i] = 0;
  __syncthreads();
}
__device__ __forceinline__ float *copy_of(const FrameProcessor &w) {
  return w.copies + static_cast<std::size_t>(blockIdx.x) * w.components * 2 * w.row;
}

__global__ void __launch_bounds__(threads) plain_sums(const FrameProcessor w, const float *x, int count) {
  __shared__ float q[most_components];
  const int k = threadIdx.x, first = blockIdx.x * second_chunk;
  float *copy = copy_of(w);
  clear_copy(w, copy);
  for (int i = first; i < min(first + second_chunk, count); i++) {
    const float value = k < w.dimension ? x[static_cast<std::size_t>(i) * w.dimension + k] : 0;
    for (int j = k; j < w.components; j += threads)
      q[j] = w.posteriors[static_cast<std::size_t>(i) * w.components + j];
    __syncthreads();
    for (int j = 0; j < w.components; j++)
      if (q[j] >= float(smallest_posterior) && k < w.dimension) {
        const float z = (value - w.means[j * w.dimension + k]) * w.inverse[j * w.dimension + k];
        copy[2 * j * w.row + k] += q[j] * z;
        copy[(2 * j + 1) * w.row + k] += q[j] * (z * z - 1);
      }
    __syncthreads();
  }
}

template <bool early>
__global__ void __launch_bounds__(threads) tiled_sums(const FrameProcessor w, const float *x, int count) {
  constexpr int down = 2, across = 4; // descriptors, components
  __shared__ float q[down][most_components + across];
  const int k = threadIdx.x, first = blockIdx.x * second_chunk, end = min(first + second_chunk, count);
  float *copy = copy_of(w);
  clear_copy(w, copy);
  for (int i = first; i < end; i += down) {
    float value[down];
    for (int r = 0; r < down; r++) {
      const std::size_t at = i + r;
      value[r] = k < w.dimension && i + r < end ? x[at * w.dimension + k] : 0;
      for (int j = k; j < w.components + across; j += threads)
        q[r][j] = j < w.components && i + r < end ? w.posteriors[at * w.components + j] : 0;
    }
    __syncthreads();
    for (int j = 0; j < w.components; j += across) {
      if constexpr (early) {
        bool none = true;
        for (int r = 0; r < down; r++)
          for (int c = 0; c < across; c++) none = none && q[r][j + c] < float(smallest_posterior);
        if (none) continue;
      }
      if (k >= w.dimension) continue;
      float mean[across], inverse[across];
      for (int c = 0; c < across; c++) {
        const int at = min(j + c, w.components - 1) * w.dimension + k;
        mean[c] = w.means[at];
        inverse[c] = w.inverse[at];
      }
      for (int r = 0; r < down; r++)
        for (int c = 0; c < across; c++)
          if (q[r][j + c] >= float(smallest_posterior)) {
            const float z = (value[r] - mean[c]) * inverse[c];
            copy[2 * (j + c) * w.row + k] += q[r][j + c] * z;
            copy[(2 * (j + c) + 1) * w.row + k] += q[r][j + c] * (z * z - 1);
          }
    }
    __syncthreads();
  }
}

} // namespace

void launch_posteriors(Rung rung, const FrameProcessor &w, const float *x, int count, cudaStream_t stream) {
  const auto kernel = rung == Rung::none     ? plain_posteriors
                      : rung == Rung::vector ? tiled_posteriors<true>
                                             : tiled_posteriors<false>;
  kernel<<<(count + first_chunk - 1) / first_chunk, threads, 0, stream>>>(w, x, count);
  cuda_check(cudaGetLastError(), "the paper's first phase");
}

void launch_sums(Rung rung, const FrameProcessor &w, const float *x, int count, cudaStream_t stream) {
  const auto kernel = rung == Rung::none    ? plain_sums
                      : rung == Rung::tiled ? tiled_sums<false>
                                            : tiled_sums<true>;
  kernel<<<(count + second_chunk - 1) / second_chunk, threads, 0, stream>>>(w, x, count);
  cuda_check(cudaGetLastError(), "the paper's second phase");
}

} // namespace vigil::fisher::ladder
