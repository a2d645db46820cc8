// SPDX-License-Identifier: LGPL-2.1-or-later
// Projection of a tile of descriptors; they lie in shared memory and need not go through the device's.
#include "common/cuda/device.h"
#include "kernels/fisher/cuda/describe.cuh"
#include "kernels/fisher/cuda/encode.h"

namespace vigil::fisher::cuda {
namespace {

constexpr int threads = 128;
constexpr int stride = tile + 4; // of the tile in shared memory; rows stay aligned to 16 bytes
constexpr int columns = 16, each = 8; // a thread makes `each` descriptors' elements c, c + 16, c + 32...

// d[element][descriptor]
template <int outputs>
__device__ void project_tile(const float (&d)[descriptor_length][stride], const Projection &p,
                             const float *positions, int count, float *x) {
  const int column = threadIdx.x % columns, first = threadIdx.x / columns * each;
  float sums[outputs][each] = {};
  const float *matrix = p.matrix + column;
#pragma unroll 4
  for (int e = 0; e < descriptor_length; e++) {
    const float4 a = *reinterpret_cast<const float4 *>(&d[e][first]),
                 b = *reinterpret_cast<const float4 *>(&d[e][first + 4]);
    const float v[each] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int o = 0; o < outputs; o++) {
      const float m = __ldg(matrix + e * outputs * columns + o * columns);
#pragma unroll
      for (int i = 0; i < each; i++) sums[o][i] += m * v[i];
    }
  }
#pragma unroll
  for (int o = 0; o < outputs; o++) {
    const int k = o * columns + column;
    if (k >= p.projected) break;
    float4 *to = reinterpret_cast<float4 *>(x + k * tile + first);
    to[0] = make_float4(sums[o][0], sums[o][1], sums[o][2], sums[o][3]);
    to[1] = make_float4(sums[o][4], sums[o][5], sums[o][6], sums[o][7]);
  }
  const int i = threadIdx.x % tile, axis = threadIdx.x / tile;
  static_assert(threads == 2 * tile);
  x[(p.projected + axis) * tile + i] = i < count ? p.position_unit * positions[2 * i + axis] : 0;
}

__device__ __forceinline__ void put(float (&d)[descriptor_length][stride], int element, int i, float4 v,
                                    bool real) {
  d[element][i] = real ? v.x : 0;
  d[element + 1][i] = real ? v.y : 0;
  d[element + 2][i] = real ? v.z : 0;
  d[element + 3][i] = real ? v.w : 0;
}

constexpr int at_once = threads / lanes_a_descriptor;

template <int outputs>
__global__ void __launch_bounds__(threads)
    given_kernel(const Projection p, const float *descriptors, const float *positions, const Chunk chunk) {
  __shared__ __align__(16) float d[descriptor_length][stride];
  const int first = blockIdx.x * tile, count = min(chunk.count - first, tile);
  const int lane = threadIdx.x % lanes_a_descriptor;
  descriptors += static_cast<std::size_t>(chunk.first + first) * descriptor_length;
  positions += static_cast<std::size_t>(chunk.first + first) * 2;
  for (int i = threadIdx.x / lanes_a_descriptor; i < tile; i += at_once) {
    const bool real = i < count;
#pragma unroll
    for (int l = 0; l < bins; l++) {
      const int element = 4 * (lane + lanes_a_descriptor * l);
      float4 v = make_float4(0, 0, 0, 0);
      if (real) v = *reinterpret_cast<const float4 *>(descriptors + i * descriptor_length + element);
      put(d, element, i, v, real);
    }
  }
  __syncthreads();
  project_tile<outputs>(d, p, positions, count,
                        chunk.x + static_cast<std::size_t>(blockIdx.x) * (p.projected + 2) * tile);
}

template <int outputs>
__global__ void __launch_bounds__(threads)
    frame_kernel(const Projection p, const __grid_constant__ Pyramid pyramid, const float *positions,
                 const Chunk chunk) {
  __shared__ __align__(16) float d[descriptor_length][stride];
  const int first = blockIdx.x * tile, count = min(chunk.count - first, tile);
  const int lane = threadIdx.x % lanes_a_descriptor;
  for (int i = threadIdx.x / lanes_a_descriptor; i < tile; i += at_once) {
    float4 piece[bins];
    describe(pyramid, chunk.first + first + min(i, count - 1), lane, piece);
#pragma unroll
    for (int l = 0; l < bins; l++)
      put(d, 4 * (lane + lanes_a_descriptor * l), i, piece[l], i < count);
  }
  __syncthreads();
  project_tile<outputs>(d, p, positions + static_cast<std::size_t>(chunk.first + first) * 2, count,
                        chunk.x + static_cast<std::size_t>(blockIdx.x) * (p.projected + 2) * tile);
}

__global__ void __launch_bounds__(threads)
    describe_kernel(const __grid_constant__ Pyramid pyramid, int first, int count, float *descriptors) {
  const int i = blockIdx.x * at_once + threadIdx.x / lanes_a_descriptor, lane = threadIdx.x % lanes_a_descriptor;
  float4 piece[bins];
  describe(pyramid, first + min(i, count - 1), lane, piece);
  if (i >= count) return;
  float4 *to = reinterpret_cast<float4 *>(descriptors + static_cast<std::size_t>(i) * descriptor_length) + lane;
#pragma unroll
  for (int l = 0; l < bins; l++) to[lanes_a_descriptor * l] = piece[l];
}

// Calls fn(std::integral_constant<int, outputs>) for the number of columns that a thread makes.
template <class Fn>
void with_outputs(const Projection &p, Fn fn) {
  switch (p.padded / columns) {
  case 1:
    return fn(std::integral_constant<int, 1>{});
  case 2:
    return fn(std::integral_constant<int, 2>{});
  case 3:
    return fn(std::integral_constant<int, 3>{});
  case 4:
    return fn(std::integral_constant<int, 4>{});
  case 5:
    return fn(std::integral_constant<int, 5>{});
  case 6:
    return fn(std::integral_constant<int, 6>{});
  case 7:
    return fn(std::integral_constant<int, 7>{});
  default:
    return fn(std::integral_constant<int, 8>{});
  }
}

} // namespace

void launch_describe(const Pyramid &p, int first, int count, float *descriptors, cudaStream_t stream) {
  describe_kernel<<<(count - 1) / at_once + 1, threads, 0, stream>>>(p, first, count, descriptors);
  cuda_check(cudaGetLastError(), "dense SIFT");
}

void launch_project(const Projection &p, const float *descriptors, const float *positions, const Chunk &chunk,
                    cudaStream_t stream) {
  with_outputs(p, [&](auto outputs) {
    given_kernel<outputs()><<<chunk.tiles(), threads, 0, stream>>>(p, descriptors, positions, chunk);
  });
  cuda_check(cudaGetLastError(), "projection");
}

void launch_project(const Projection &p, const Pyramid &pyramid, const float *positions, const Chunk &chunk,
                    cudaStream_t stream) {
  with_outputs(p, [&](auto outputs) {
    frame_kernel<outputs()><<<chunk.tiles(), threads, 0, stream>>>(p, pyramid, positions, chunk);
  });
  cuda_check(cudaGetLastError(), "projection");
}

} // namespace vigil::fisher::cuda
