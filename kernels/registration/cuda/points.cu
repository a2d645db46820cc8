// SPDX-License-Identifier: LGPL-2.1-or-later
// The points of a background on a GPU: a warp for each tile and direction.
#include "kernels/registration/cuda/kernels.h"

namespace vigil::registration {
namespace {

constexpr int warps = 8; // a block

__global__ void __launch_bounds__(32 * warps) points_kernel(ConstImage background, DeviceState *state) {
  const int slot = blockIdx.x * warps + threadIdx.y, tile = slot / 2;
  const bool down = slot % 2 != 0;
  const TileGrid grid(background.width, background.height);
  const int reach = reach_of(max(background.width, background.height));
  // The greatest difference, the first of equals.
  constexpr std::uint32_t most_candidates = 1u << 22;
  std::uint32_t best = 0;
  if (tile < grid.count())
    for (int i = threadIdx.x; i < grid.candidates(); i += 32) {
      const int b = size_of(candidate(background, grid, tile, i, down, reach).difference);
      best = max(best, static_cast<std::uint32_t>(b) * most_candidates + (most_candidates - 1 - i));
    }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) best = max(best, __shfl_xor_sync(~0u, best, distance));
  if (threadIdx.x != 0) return;
  const int i = static_cast<int>(most_candidates - 1 - best % most_candidates);
  state->points[slot] =
      best >= most_candidates ? candidate(background, grid, tile, i, down, reach) : EdgePoint{};
}

} // namespace

void launch_points(const ConstImage &background, DeviceState *state, CUstream_st *stream) {
  static_assert(most_points % warps == 0);
  points_kernel<<<most_points / warps, dim3(32, warps), 0, stream>>>(background, state);
}

} // namespace vigil::registration
