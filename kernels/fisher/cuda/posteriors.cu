// SPDX-License-Identifier: LGPL-2.1-or-later
// Posteriors of a tile of descriptors, in fp32 multiply-adds (encode.h). The tile lies in shared memory as a
// whole, the mixture passes through it a few dimensions at a time, the next ones on their way while the last
// are used.
#include "common/cuda/device.h"
#include "kernels/fisher/cuda/encode.h"

#include <cuda_pipeline.h>

namespace vigil::fisher::cuda {
namespace {

constexpr int warps = 8, threads = 32 * warps, each = tile / warps; // `each` descriptors a warp
constexpr int stage = 6;                                            // dimensions that pass together
constexpr int line = 2 * wide;                                      // floats of one dimension
constexpr float far = 1e38f; // a distance that no finite input exceeds in earnest; keeps infinities out
constexpr unsigned all = 0xffffffffu;

__device__ __forceinline__ float largest(float v) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) v = fmaxf(v, __shfl_xor_sync(all, v, apart));
  return v;
}
__device__ __forceinline__ float total(float v) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) v += __shfl_xor_sync(all, v, apart);
  return v;
}

// Component j of a lane: lanes have four in a row, and four more half of `wide` on.
__device__ __forceinline__ int component(int lane, int j) {
  return j / 4 * (wide / 2) + 4 * lane + j % 4;
}

struct Shared {
  float *x;                    // [dimension][tile]
  float *lines;                // [2][stage][line]
  std::uint8_t (*bits)[warps]; // [wide]
};

// -sum (scale x + shift)^2 + constant for this warp's descriptors and one block of components. All threads
// come here.
__device__ __forceinline__ void likelihoods(const Mixture &m, const Shared &shared, int block,
                                            float (&q)[each][8]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, steps = (m.dimension + stage - 1) / stage;
  const float *lines = m.lines + static_cast<std::size_t>(block) * m.dimension * line;
  const auto fetch = [&](int step) {
    const int count = min(m.dimension - step * stage, stage) * line;
    for (int i = 4 * threadIdx.x; i < count; i += 4 * threads)
      __pipeline_memcpy_async(shared.lines + (step % 2) * stage * line + i, lines + step * stage * line + i,
                              16);
    __pipeline_commit();
  };
#pragma unroll
  for (int i = 0; i < each; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) q[i][j] = 0;
  fetch(0);
  for (int step = 0; step < steps; step++) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (step + 1 < steps) fetch(step + 1);
    const float *x = shared.x + step * stage * tile + warp * each;
    const float *own = shared.lines + (step % 2) * stage * line + 4 * lane;
    const auto dimension = [&](int k) {
      float v[each], scale[8], shift[8];
#pragma unroll
      for (int i = 0; i < each; i += 4)
        *reinterpret_cast<float4 *>(v + i) = *reinterpret_cast<const float4 *>(x + k * tile + i);
#pragma unroll
      for (int h = 0; h < 2; h++) {
        *reinterpret_cast<float4 *>(scale + 4 * h) =
            *reinterpret_cast<const float4 *>(own + k * line + h * wide / 2);
        *reinterpret_cast<float4 *>(shift + 4 * h) =
            *reinterpret_cast<const float4 *>(own + k * line + wide + h * wide / 2);
      }
#pragma unroll
      for (int i = 0; i < each; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) {
          const float d = fmaf(v[i], scale[j], shift[j]);
          q[i][j] = fmaf(-d, d, q[i][j]);
        }
    };
    const int count = m.dimension - step * stage;
    if (count >= stage) {
#pragma unroll
      for (int k = 0; k < stage; k++) dimension(k);
    } else {
      for (int k = 0; k < count; k++) dimension(k);
    }
  }
#pragma unroll
  for (int j = 0; j < 8; j++) {
    const float c = m.constant[block * wide + component(lane, j)];
#pragma unroll
    for (int i = 0; i < each; i++) q[i][j] = c + fmaxf(q[i][j], -far);
  }
}

// Writes what is not below the limit, and the bits. All threads come here.
__device__ __forceinline__ void keep(const Mixture &m, const Chunk &chunk, const Shared &shared, int block,
                                     const float (&q)[each][8]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int left = chunk.count - static_cast<int>(blockIdx.x) % chunk.tiles() * tile -
                   warp * each; // real descriptors from the warp's first on
  float *to = chunk.posteriors + (static_cast<std::size_t>(blockIdx.x) * m.padded + block * wide) * tile +
              warp * each;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < each; i++)
      if (q[i][j] >= m.least && i < left) bits |= 1u << i;
    const int c = component(lane, j);
    shared.bits[c][warp] = static_cast<std::uint8_t>(bits);
    if (bits == 0) continue;
#pragma unroll
    for (int i = 0; i < each; i += 4)
      *reinterpret_cast<float4 *>(to + static_cast<std::size_t>(c) * tile + i) =
          make_float4(q[i][j], q[i + 1][j], q[i + 2][j], q[i + 3][j]);
  }
  __syncthreads();
  static_assert(threads == wide && sizeof(shared.bits[0]) == sizeof(std::uint64_t));
  chunk.masks[static_cast<std::size_t>(blockIdx.x) * m.padded + block * wide + threadIdx.x] =
      *reinterpret_cast<const std::uint64_t *>(shared.bits[threadIdx.x]);
  __syncthreads();
}

// Of this warp's descriptor i. All lanes have the same numbers.
__device__ __forceinline__ void keep_likelihood(const Chunk &chunk, int i, float most, float sum) {
  if (chunk.likelihoods && threadIdx.x % 32 == 0)
    chunk.likelihoods[blockIdx.x * tile + threadIdx.x / 32 * each + i] = most + log2f(sum);
}

__device__ __forceinline__ Shared load_tile(const Mixture &m, const Chunk &chunk) {
  extern __shared__ __align__(16) float memory[];
  Shared s;
  s.lines = memory;
  s.bits = reinterpret_cast<std::uint8_t(*)[warps]>(memory + 2 * stage * line);
  s.x = memory + 2 * stage * line + wide * warps / sizeof(float);
  const int row = row_of_x(m.dimension);
  const float *from = chunk.x + static_cast<std::size_t>(blockIdx.x) * row * tile;
  for (int i = threadIdx.x; i < m.dimension * tile; i += threads) s.x[i] = from[i % tile * row + i / tile];
  return s; // likelihoods() begins with a barrier
}

// Up to `wide` components.
__global__ void __launch_bounds__(threads, 2) one_block_kernel(const Mixture m, const Chunk chunk) {
  const Shared shared = load_tile(m, chunk);
  float q[each][8];
  likelihoods(m, shared, 0, q);
#pragma unroll
  for (int i = 0; i < each; i++) {
    float most = q[i][0];
#pragma unroll
    for (int j = 1; j < 8; j++) most = fmaxf(most, q[i][j]);
    most = largest(most);
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
      q[i][j] = exp2f(q[i][j] - most);
      sum += q[i][j];
    }
    sum = total(sum);
    const float share = 1 / sum;
#pragma unroll
    for (int j = 0; j < 8; j++) q[i][j] *= share;
    keep_likelihood(chunk, i, most, sum);
  }
  keep(m, chunk, shared, 0, q);
}

// Any number: the likelihoods of one block of components after another go to memory, with a running maximum
// and sum; each thread then takes up again what it wrote.
__global__ void __launch_bounds__(threads, 2) blocks_kernel(const Mixture m, const Chunk chunk) {
  const Shared shared = load_tile(m, chunk);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, blocks = m.padded / wide;
  float most[each], sum[each];
#pragma unroll
  for (int i = 0; i < each; i++) {
    most[i] = -3e38f;
    sum[i] = 0;
  }
  float *own = chunk.posteriors + static_cast<std::size_t>(blockIdx.x) * m.padded * tile + warp * each;
  const auto at = [&](int block, int j) {
    return own + static_cast<std::size_t>(block * wide + component(lane, j)) * tile;
  };
  float q[each][8];
  for (int block = 0; block < blocks; block++) {
    likelihoods(m, shared, block, q);
    __syncthreads(); // before the next block's lines overwrite the last ones of this
#pragma unroll
    for (int i = 0; i < each; i++) {
      float here = q[i][0];
#pragma unroll
      for (int j = 1; j < 8; j++) here = fmaxf(here, q[i][j]);
      here = fmaxf(largest(here), most[i]);
      float part = 0;
#pragma unroll
      for (int j = 0; j < 8; j++) part += exp2f(q[i][j] - here);
      sum[i] = sum[i] * exp2f(most[i] - here) + total(part);
      most[i] = here;
    }
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
      for (int i = 0; i < each; i++) at(block, j)[i] = q[i][j];
  }
#pragma unroll
  for (int i = 0; i < each; i++) keep_likelihood(chunk, i, most[i], sum[i]);
  for (int block = 0; block < blocks; block++) {
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
      for (int i = 0; i < each; i++) q[i][j] = exp2f(at(block, j)[i] - most[i]) / sum[i];
    keep(m, chunk, shared, block, q);
  }
}

std::size_t shared_bytes(const Mixture &m) {
  return (2 * stage * line + m.dimension * tile) * sizeof(float) + wide * warps;
}

} // namespace

void prepare_posteriors(const Mixture &m) {
  const auto bytes = static_cast<int>(shared_bytes(m));
  for (const auto kernel : {one_block_kernel, blocks_kernel})
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
               "shared memory of the posteriors");
}

void launch_posteriors(const Mixture &m, const Chunk &chunk, cudaStream_t stream) {
  const auto kernel = m.padded == wide ? one_block_kernel : blocks_kernel;
  kernel<<<chunk.tiles() * chunk.pictures, threads, shared_bytes(m), stream>>>(m, chunk);
  cuda_check(cudaGetLastError(), "posteriors");
}

} // namespace vigil::fisher::cuda
