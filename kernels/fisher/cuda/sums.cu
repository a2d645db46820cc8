// SPDX-License-Identifier: LGPL-2.1-or-later
// The sums u and v of the contract over one part of a chunk's tiles, for 64 components: a warp has eight of them, their sums in
// registers, a lane every 32nd dimension. Only descriptors whose bit is set are touched, in order.
#include "common/cuda/device.h"
#include "kernels/fisher/cuda/encode.h"

namespace vigil::fisher::cuda {
namespace {

constexpr int warps = 8, threads = 32 * warps, own = group / warps; // components of a warp
constexpr int stride = tile + 1;                                  // a warp reads columns of the tile
constexpr unsigned all = 0xffffffffu;

template <int pieces> // of 32 dimensions
__global__ void __launch_bounds__(threads, pieces <= 3 ? 2 : 1)
    sums_kernel(const Mixture m, const Chunk chunk, const Parts parts, const bool add) {
  extern __shared__ float x[]; // [dimension][stride]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int part = blockIdx.y, first_component = blockIdx.x * group + warp * own;
  const int tiles = chunk.tiles();
  const int begin = static_cast<int>(static_cast<std::int64_t>(tiles) * part / parts.count),
            end = static_cast<int>(static_cast<std::int64_t>(tiles) * (part + 1) / parts.count);
  int k_of_piece[pieces];
#pragma unroll
  for (int p = 0; p < pieces; p++) k_of_piece[p] = min(32 * p + lane, m.dimension - 1);
  float u[own][pieces] = {}, v[own][pieces] = {};
  for (int t = begin; t < end; t++) {
    const std::size_t row = static_cast<std::size_t>(t) * m.padded + first_component;
    const std::uint64_t mask_of_lane = lane < own ? chunk.masks[row + lane] : 0;
    const float4 *from = reinterpret_cast<const float4 *>(chunk.x + static_cast<std::size_t>(t) * m.dimension * tile);
    __syncthreads(); // the last tile has been used
    for (int i = threadIdx.x; i < m.dimension * (tile / 4); i += threads) {
      const float4 f = from[i];
      float *to = x + i / (tile / 4) * stride + i % (tile / 4) * 4;
      to[0] = f.x;
      to[1] = f.y;
      to[2] = f.z;
      to[3] = f.w;
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < own; c++) {
      std::uint64_t mask = __shfl_sync(all, mask_of_lane, c);
      if (mask == 0) continue; // the whole warp
      const float *of_component = chunk.posteriors + (row + c) * tile;
      const float q_low = of_component[lane], q_high = of_component[32 + lane];
      float mean[pieces], inverse[pieces];
#pragma unroll
      for (int p = 0; p < pieces; p++) { // rows are padded with zeros
        mean[p] = m.means[static_cast<std::size_t>(first_component + c) * m.row + 32 * p + lane];
        inverse[p] = m.inverse[static_cast<std::size_t>(first_component + c) * m.row + 32 * p + lane];
      }
      const auto take = [&](int i) {
        const float q = __shfl_sync(all, i < 32 ? q_low : q_high, i % 32);
#pragma unroll
        for (int p = 0; p < pieces; p++) {
          const float z = (x[k_of_piece[p] * stride + i] - mean[p]) * inverse[p];
          u[c][p] = fmaf(q, z, u[c][p]);
          v[c][p] = fmaf(q, fmaf(z, z, -1.f), v[c][p]);
        }
      };
      const auto next = [&] { // the lowest bit, which leaves the mask
        const int i = __ffsll(static_cast<long long>(mask)) - 1;
        mask &= mask - 1;
        return i;
      };
      for (int left = __popcll(mask); left > 0; left -= 2) { // two at a time are on their way
        const int i = next();
        if (left == 1) {
          take(i);
          break;
        }
        const int j = next();
        take(i);
        take(j);
      }
    }
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

} // namespace

void launch_sums(const Mixture &m, const Chunk &chunk, const Parts &parts, bool add, cudaStream_t stream) {
  const dim3 blocks((m.components - 1) / group + 1, parts.count);
  const std::size_t bytes = m.dimension * stride * sizeof(float);
  const auto launch = [&](auto kernel) { kernel<<<blocks, threads, bytes, stream>>>(m, chunk, parts, add); };
  switch (m.row / 32) {
  case 1:
    launch(sums_kernel<1>);
    break;
  case 2:
    launch(sums_kernel<2>);
    break;
  case 3:
    launch(sums_kernel<3>);
    break;
  case 4:
    launch(sums_kernel<4>);
    break;
  default:
    launch(sums_kernel<5>);
  }
  static_assert(max_dimension <= 5 * 32 && max_dimension * stride * sizeof(float) <= 48 * 1024);
  cuda_check(cudaGetLastError(), "Fisher sums");
}

} // namespace vigil::fisher::cuda
