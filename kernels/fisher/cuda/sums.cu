// SPDX-License-Identifier: LGPL-2.1-or-later
// The sums u and v of the contract over one part of a chunk's tiles, for 64 components: a warp has eight of them, their sums in
// registers, a lane every 32nd dimension. Only descriptors whose bit is set are touched, in order.
#include "common/cuda/device.h"
#include "kernels/fisher/cuda/encode.h"

#include <cuda_pipeline.h>

namespace vigil::fisher::cuda {
namespace {

constexpr int warps = 8, threads = 32 * warps, own = group / warps; // components of a warp
constexpr unsigned all = 0xffffffffu;

// Floats of one tile in shared memory: x and the posteriors of the block's components.
VIGIL_HOST_DEVICE constexpr int tile_floats(int dimension) {
  return tile * row_of_x(dimension) + group * tile;
}

// `buffers` tiles fit the shared memory, 1 or 2; with two, one is on its way while the other is used.
template <int pieces> // of 32 dimensions
__global__ void __launch_bounds__(threads, pieces <= 3 ? 2 : 1)
    sums_kernel(const Mixture m, const Chunk chunk, const Parts parts, const bool add, const int buffers) {
  extern __shared__ __align__(16) float memory[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = row_of_x(m.dimension);
  const int part = blockIdx.y, first_component = blockIdx.x * group + warp * own;
  const int tiles = chunk.tiles();
  const int begin = static_cast<int>(static_cast<std::int64_t>(tiles) * part / parts.count),
            end = static_cast<int>(static_cast<std::int64_t>(tiles) * (part + 1) / parts.count);

  // Starts the copies of a tile; returns the masks of the warp's components, one a lane.
  const auto fetch = [&](int t, float *to) -> std::uint64_t {
    std::uint64_t mask = 0;
    if (t < end) {
      const std::size_t first = static_cast<std::size_t>(t) * m.padded + first_component;
      if (lane < own) mask = chunk.masks[first + lane];
      const float *x = chunk.x + static_cast<std::size_t>(t) * row * tile;
      for (int i = 4 * threadIdx.x; i < row * tile; i += 4 * threads) __pipeline_memcpy_async(to + i, x + i, 16);
      float *q = to + row * tile + warp * own * tile;
#pragma unroll
      for (int c = lane / 16; c < own; c += 2) // rows of 64 floats, half a warp each; only those that hold something
        if (__shfl_sync(all, mask, c) != 0)
          __pipeline_memcpy_async(q + c * tile + lane % 16 * 4, chunk.posteriors + (first + c) * tile + lane % 16 * 4,
                                  16);
    }
    __pipeline_commit();
    return mask;
  };

  int k_of_piece[pieces];
#pragma unroll
  for (int p = 0; p < pieces; p++) k_of_piece[p] = min(32 * p + lane, m.dimension - 1);
  float u[own][pieces] = {}, v[own][pieces] = {};
  std::uint64_t masks = fetch(begin, memory);
  for (int t = begin; t < end; t++) {
    const float *x = memory + (t - begin) % buffers * tile_floats(m.dimension);
    const float *q_of_warp = x + row * tile + warp * own * tile;
    std::uint64_t next_masks = 0;
    if (buffers == 2) {
      next_masks = fetch(t + 1, memory + (t + 1 - begin) % 2 * tile_floats(m.dimension));
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < own; c++) {
      std::uint64_t mask = __shfl_sync(all, masks, c);
      if (mask == 0) continue; // the whole warp
      float mean[pieces], inverse[pieces];
#pragma unroll
      for (int p = 0; p < pieces; p++) { // rows are padded with zeros
        mean[p] = m.means[static_cast<std::size_t>(first_component + c) * m.row + 32 * p + lane];
        inverse[p] = m.inverse[static_cast<std::size_t>(first_component + c) * m.row + 32 * p + lane];
      }
      const float *of_component = q_of_warp + c * tile;
      const auto take = [&](int i) {
        const float q = of_component[i];
#pragma unroll
        for (int p = 0; p < pieces; p++) {
          const float z = (x[i * row + k_of_piece[p]] - mean[p]) * inverse[p];
          u[c][p] = fmaf(q, z, u[c][p]);
          v[c][p] = fmaf(q, fmaf(z, z, -1.f), v[c][p]);
        }
      };
      const auto next = [&] { // the lowest bit, which leaves the mask
        const int i = __ffsll(static_cast<long long>(mask)) - 1;
        mask &= mask - 1;
        return i;
      };
      int left = __popcll(mask);
      for (; left >= 4; left -= 4) { // four at a time are on their way
        const int i0 = next(), i1 = next(), i2 = next(), i3 = next();
        take(i0);
        take(i1);
        take(i2);
        take(i3);
      }
      for (; left > 0; left--) take(next());
    }
    __syncthreads(); // the tile may be overwritten
    if (buffers == 1) next_masks = fetch(t + 1, memory);
    masks = next_masks;
  }
#pragma unroll
  for (int c = 0; c < own; c++) {
    if (first_component + c >= m.components) break;
    float *to = parts.sums + (static_cast<std::size_t>(part) * m.components + first_component + c) * 2 * m.row;
#pragma unroll
    for (int p = 0; p < pieces; p++) {
      const int k = 32 * p + lane;
      to[k] = add ? to[k] + u[c][p] : u[c][p];
      to[m.row + k] = add ? to[m.row + k] + v[c][p] : v[c][p];
    }
  }
}

std::size_t bytes_of(const Mixture &m, int buffers) {
  return buffers * tile_floats(m.dimension) * sizeof(float);
}
int buffers_for(const Mixture &m) {
  int device = 0, most = 0;
  cuda_check(cudaGetDevice(&device), "cudaGetDevice");
  cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory");
  return bytes_of(m, 2) <= static_cast<std::size_t>(most) ? 2 : 1;
}

// Calls fn(kernel) for the mixture's number of dimensions.
template <class Fn>
void with_kernel(const Mixture &m, Fn fn) {
  static_assert(max_dimension <= 5 * 32);
  switch (m.row / 32) {
  case 1:
    return fn(sums_kernel<1>);
  case 2:
    return fn(sums_kernel<2>);
  case 3:
    return fn(sums_kernel<3>);
  case 4:
    return fn(sums_kernel<4>);
  default:
    return fn(sums_kernel<5>);
  }
}

} // namespace

void prepare_sums(const Mixture &m) {
  with_kernel(m, [&](auto kernel) {
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes_of(m, buffers_for(m)))),
               "shared memory of the Fisher sums");
  });
}

void launch_sums(const Mixture &m, const Chunk &chunk, const Parts &parts, bool add, cudaStream_t stream) {
  const dim3 blocks((m.components - 1) / group + 1, parts.count);
  const int buffers = buffers_for(m);
  with_kernel(m, [&](auto kernel) {
    kernel<<<blocks, threads, bytes_of(m, buffers), stream>>>(m, chunk, parts, add, buffers);
  });
  cuda_check(cudaGetLastError(), "Fisher sums");
}

} // namespace vigil::fisher::cuda
