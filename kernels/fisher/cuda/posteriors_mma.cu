// SPDX-License-Identifier: LGPL-2.1-or-later
// Posteriors by tensor cores, for up to 256 components: likelihoods as the product of the mixture's rows
// [mu/sigma^2, -1/(2 sigma^2)] with columns [x, x^2], each factor split into two halves of 11 bits, so that
// three products in half precision with sums in fp32 make about 22 bits: as good as fp32, and nothing cancels
// where it matters, since flat areas are at x = 0 (encode.h). Two warps have 16 descriptors times 256
// components in registers; log-sum-exp needs little more than shuffles. Compute capability 8.0 and newer.
#include "common/cuda/device.h"
#include "kernels/fisher/cuda/encode.h"
#include "kernels/fisher/cuda/mma.cuh"

#include <cuda_pipeline.h>

namespace vigil::fisher::cuda {
namespace {

constexpr int rows = 16, columns = 8; // components and descriptors of a product
constexpr int halves = 2;             // of the components: two warps share 16 descriptors
constexpr int row_tiles = wide / rows / halves;
constexpr int of_warp = 2 * columns; // descriptors
constexpr int warps = tile / of_warp * halves, threads = 32 * warps;
constexpr int stages = 3;
constexpr int stage_words = halves * row_tiles * 2 * 32; // uint4: [row tile][high, low][lane]
constexpr unsigned all = 0xffffffffu;
static_assert(stage_words * sizeof(uint4) == mma_step_bytes);

// Over the eight lanes that have the same descriptors.
__device__ __forceinline__ float largest(float v) {
#pragma unroll
  for (int apart = 4; apart < 32; apart *= 2) v = fmaxf(v, __shfl_xor_sync(all, v, apart));
  return v;
}
__device__ __forceinline__ float total(float v) {
#pragma unroll
  for (int apart = 4; apart < 32; apart *= 2) v += __shfl_xor_sync(all, v, apart);
  return v;
}

// A block has one tile.
__global__ void __launch_bounds__(threads, 2) mma_kernel(const Mixture m, const Chunk chunk) {
  extern __shared__ __align__(16) uint4 stage[]; // [stages][stage_words]
  __shared__ __align__(8) std::uint8_t bits[wide][tile / 8];
  __shared__ float2 part[halves][tile]; // of a descriptor: largest likelihood, sum relative to it
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, across = lane % 4, down = lane / 4;
  const int steps = (m.dimension + mma_dimensions - 1) / mma_dimensions;
  const int half = warp % halves, in_tile = warp / halves * of_warp, row = row_of_x(m.dimension);
  const float *x = chunk.x + (static_cast<std::size_t>(blockIdx.x) * tile + in_tile + down) * row;

  const auto fetch = [&](int step) { // a commit for each step, there or not, so that they can be counted
    if (step < steps)
      for (int i = threadIdx.x; i < stage_words; i += threads)
        __pipeline_memcpy_async(stage + step % stages * stage_words + i,
                                static_cast<const uint4 *>(m.fragments) + step * stage_words + i, 16);
    __pipeline_commit();
  };
  float next[2][2]; // the next step's x: descriptors, dimensions
  const auto load = [&](int step) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const int k = step * mma_dimensions + across + 4 * h;
#pragma unroll
      for (int n = 0; n < 2; n++) next[n][h] = k < m.dimension ? x[n * columns * row + k] : 0;
    }
  };
  float sum[row_tiles][2][4] = {};
  for (int s = 0; s < stages - 1; s++) fetch(s);
  load(0);
  for (int step = 0; step < steps; step++) {
    Pair b[2][2];
#pragma unroll
    for (int n = 0; n < 2; n++)
#pragma unroll
      for (int h = 0; h < 2; h++) b[n][h] = split(next[n][h], next[n][h] * next[n][h]);
    if (step + 1 < steps) load(step + 1);
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    fetch(step + stages - 1);
    const uint4 *a = stage + step % stages * stage_words + half * row_tiles * 64 + lane;
#pragma unroll
    for (int r = 0; r < row_tiles; r++) {
      const uint4 high = a[r * 64], low = a[r * 64 + 32];
#pragma unroll
      for (int n = 0; n < 2; n++) {
        multiply(sum[r][n], low, b[n][0].high, b[n][1].high);
        multiply(sum[r][n], high, b[n][0].low, b[n][1].low);
        multiply(sum[r][n], high, b[n][0].high, b[n][1].high);
      }
    }
  }

  // sum[r][n][2 h + e] belongs to component first + 16 r + 8 h and the warp's descriptor 8 n + 2 across + e.
  const int first = half * row_tiles * rows + down;
  float most[2][2];
#pragma unroll
  for (int n = 0; n < 2; n++) most[n][0] = most[n][1] = -3e38f;
#pragma unroll
  for (int r = 0; r < row_tiles; r++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const float2 c = m.affine[first + r * rows + h * 8];
#pragma unroll
      for (int n = 0; n < 2; n++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
          float &v = sum[r][n][2 * h + e];
          v = c.x + fmaxf(c.y * v, -1e38f);
          most[n][e] = fmaxf(most[n][e], v);
        }
    }
#pragma unroll
  for (int n = 0; n < 2; n++)
#pragma unroll
    for (int e = 0; e < 2; e++) {
      most[n][e] = largest(most[n][e]);
      float of_half = 0;
#pragma unroll
      for (int r = 0; r < row_tiles; r++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
          float &v = sum[r][n][2 * h + e];
          v = exp2f(v - most[n][e]);
          of_half += v;
        }
      of_half = total(of_half);
      if (down == 0) part[half][in_tile + n * columns + 2 * across + e] = make_float2(most[n][e], of_half);
    }
  __syncthreads();
#pragma unroll
  for (int n = 0; n < 2; n++)
#pragma unroll
    for (int e = 0; e < 2; e++) {
      const int i = in_tile + n * columns + 2 * across + e;
      const float2 a = part[0][i], b = part[1][i];
      const float top = fmaxf(a.x, b.x);
      const float share = exp2f(most[n][e] - top) / (a.y * exp2f(a.x - top) + b.y * exp2f(b.x - top));
#pragma unroll
      for (int r = 0; r < row_tiles; r++)
#pragma unroll
        for (int h = 0; h < 2; h++) sum[r][n][2 * h + e] *= share;
    }

  const int left = chunk.count - static_cast<int>(blockIdx.x) % chunk.tiles() * tile -
                   in_tile; // real descriptors from the warp's first on
  float *to = chunk.posteriors + (static_cast<std::size_t>(blockIdx.x) * m.padded + first) * tile + in_tile +
              2 * across;
#pragma unroll
  for (int r = 0; r < row_tiles; r++) {
    std::uint32_t word = 0; // a byte for each [h][n]
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int n = 0; n < 2; n++) {
        const float low = sum[r][n][2 * h], high = sum[r][n][2 * h + 1];
        const int i = n * columns + 2 * across;
        const std::uint32_t set = (low >= float(smallest_posterior) && i < left ? 1u : 0u) |
                                  (high >= float(smallest_posterior) && i + 1 < left ? 2u : 0u);
        word |= set << (2 * across + 8 * (2 * h + n));
        if (set)
          *reinterpret_cast<float2 *>(to + (r * rows + h * 8) * tile + n * columns) = make_float2(low, high);
      }
    word |= __shfl_xor_sync(all, word, 1);
    word |= __shfl_xor_sync(all, word, 2);
    if (across < 2) // one lane for each h
      *reinterpret_cast<std::uint16_t *>(&bits[first + r * rows + across * 8][in_tile / 8]) =
          static_cast<std::uint16_t>(word >> (16 * across));
  }
  __syncthreads();
  static_assert(threads == wide);
  chunk.masks[static_cast<std::size_t>(blockIdx.x) * m.padded + threadIdx.x] =
      *reinterpret_cast<const std::uint64_t *>(bits[threadIdx.x]);
}

constexpr std::size_t shared_bytes = stages * mma_step_bytes;

} // namespace

bool mma_possible(const Mixture &m) {
  int device = 0, major = 0;
  cuda_check(cudaGetDevice(&device), "cudaGetDevice");
  cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "compute capability");
  return major >= 8 && m.padded == wide;
}

void prepare_posteriors_mma() {
  cuda_check(cudaFuncSetAttribute(mma_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes)),
             "shared memory of the posteriors");
}

void launch_posteriors_mma(const Mixture &m, const Chunk &chunk, cudaStream_t stream) {
  mma_kernel<<<chunk.tiles() * chunk.pictures, threads, shared_bytes, stream>>>(m, chunk);
  cuda_check(cudaGetLastError(), "posteriors");
}

} // namespace vigil::fisher::cuda
