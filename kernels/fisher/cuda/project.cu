// SPDX-License-Identifier: LGPL-2.1-or-later
// Projection of a tile of descriptors; they lie in shared memory and need not go through the device's.
#include "common/cuda/device.h"
#include "kernels/fisher/cuda/describe.cuh"
#include "kernels/fisher/cuda/encode.h"
#include "kernels/fisher/cuda/mma.cuh"

namespace vigil::fisher::cuda {
namespace {

constexpr int threads = 128;
constexpr int stride = descriptor_length + 4; // of the tile in shared memory: no two lanes in one bank
constexpr int columns = 16;                   // outputs are padded to a multiple of these

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
// A thread makes elements c, c + 16, c + 32... of eight descriptors.
template <int outputs>
__device__ void multiply_tile(const float (&d)[tile][stride], const Projection &p, int row, float *x) {
  constexpr int each = tile / (threads / columns);
  const int column = threadIdx.x % columns, first = threadIdx.x / columns * each;
  float sums[outputs][each] = {};
  for (int e = 0; e < descriptor_length; e++)
#pragma unroll
    for (int o = 0; o < outputs; o++) {
      const float m = __ldg(p.matrix + (e * outputs + o) * columns + column);
#pragma unroll
      for (int i = 0; i < each; i++) sums[o][i] += m * d[first + i][e];
    }
#pragma unroll
  for (int o = 0; o < outputs; o++) {
    const int k = o * columns + column;
    if (k >= p.projected) break;
#pragma unroll
    for (int i = 0; i < each; i++) x[(first + i) * row + k] = sums[o][i];
  }
}
#else
// A warp makes all elements of 16 descriptors by tensor cores.
template <int outputs>
__device__ void multiply_tile(const float (&d)[tile][stride], const Projection &p, int row, float *x) {
  constexpr int steps = descriptor_length / 16, blocks = 2 * outputs; // of 8 elements
  constexpr float scale = projection_scale;
  static_assert(threads / 32 * 16 == tile);
  const int lane = threadIdx.x % 32, across = lane % 4, first = threadIdx.x / 32 * 16 + lane / 4;
  const auto *fragments = static_cast<const uint4 *>(p.fragments) + lane;
  float sums[blocks][4] = {};
#pragma unroll 2
  for (int step = 0; step < steps; step++) {
    Pair a[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const float2 v =
          *reinterpret_cast<const float2 *>(&d[first + i % 2 * 8][step * 16 + i / 2 * 8 + 2 * across]);
      a[i] = split(v.x * scale, v.y * scale);
    }
    const uint4 high = make_uint4(a[0].high, a[1].high, a[2].high, a[3].high),
                low = make_uint4(a[0].low, a[1].low, a[2].low, a[3].low);
#pragma unroll
    for (int n = 0; n < blocks; n++) {
      const uint4 b = __ldg(fragments + (step * blocks + n) * 32); // high, high, low, low
      multiply(sums[n], low, b.x, b.y);
      multiply(sums[n], high, b.z, b.w);
      multiply(sums[n], high, b.x, b.y);
    }
  }
#pragma unroll
  for (int n = 0; n < blocks; n++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      float *to = x + (first + 8 * h) * row;
      const int k = n * 8 + 2 * across;
      if (k < p.projected) to[k] = sums[n][2 * h] * (1 / scale);
      if (k + 1 < p.projected) to[k + 1] = sums[n][2 * h + 1] * (1 / scale);
    }
}
#endif

// d[descriptor][element]
template <int outputs>
__device__ void project_tile(const float (&d)[tile][stride], const Projection &p, const float *positions,
                             int count, float *x) {
  const int row = row_of_x(p.projected + 2);
  multiply_tile<outputs>(d, p, row, x);
  const int i = threadIdx.x % tile, axis = threadIdx.x / tile;
  static_assert(threads == 2 * tile);
  x[i * row + p.projected + axis] = i < count ? p.position_unit * positions[2 * i + axis] : 0;
}

constexpr int at_once = threads / lanes_a_descriptor;

template <int outputs>
__global__ void __launch_bounds__(threads)
    given_kernel(const Projection p, const float *descriptors, const float *positions, const Chunk chunk) {
  __shared__ __align__(16) float d[tile][stride];
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
      *reinterpret_cast<float4 *>(&d[i][element]) = v;
    }
  }
  __syncthreads();
  project_tile<outputs>(d, p, positions, count,
                        chunk.x + static_cast<std::size_t>(blockIdx.x) * row_of_x(p.projected + 2) * tile);
}

template <int outputs>
__global__ void __launch_bounds__(threads)
    frame_kernel(const Projection p, const __grid_constant__ Pyramid pyramid, const float *positions,
                 const Chunk chunk) {
  __shared__ __align__(16) float d[tile][stride];
  const int tiles = chunk.tiles(), picture = blockIdx.x / tiles,
            first = (blockIdx.x - picture * tiles) * tile, count = min(chunk.count - first, tile);
  const int lane = threadIdx.x % lanes_a_descriptor;
  for (int i = threadIdx.x / lanes_a_descriptor; i < tile; i += at_once) {
    float4 piece[bins];
    describe(pyramid, picture, chunk.first + first + min(i, count - 1), lane, piece);
#pragma unroll
    for (int l = 0; l < bins; l++)
      *reinterpret_cast<float4 *>(&d[i][4 * (lane + lanes_a_descriptor * l)]) =
          i < count ? piece[l] : make_float4(0, 0, 0, 0);
  }
  __syncthreads();
  project_tile<outputs>(d, p, positions + static_cast<std::size_t>(chunk.first + first) * 2, count,
                        chunk.x + static_cast<std::size_t>(blockIdx.x) * row_of_x(p.projected + 2) * tile);
}

__global__ void __launch_bounds__(threads)
    describe_kernel(const __grid_constant__ Pyramid pyramid, int first, int count, float *descriptors) {
  const int i = blockIdx.x * at_once + threadIdx.x / lanes_a_descriptor,
            lane = threadIdx.x % lanes_a_descriptor;
  float4 piece[bins];
  describe(pyramid, 0, first + min(i, count - 1), lane, piece);
  if (i >= count) return;
  float4 *to =
      reinterpret_cast<float4 *>(descriptors + static_cast<std::size_t>(i) * descriptor_length) + lane;
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
    frame_kernel<outputs()>
        <<<chunk.tiles() * chunk.pictures, threads, 0, stream>>>(p, pyramid, positions, chunk);
  });
  cuda_check(cudaGetLastError(), "projection");
}

} // namespace vigil::fisher::cuda
