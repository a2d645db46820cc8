// SPDX-License-Identifier: LGPL-2.1-or-later
// Rims on a GPU: a warp for each cell.
#include "common/cuda/warp.h"
#include "kernels/ghost/cuda/kernels.h"
#include "kernels/ghost/cuda/outline.h"
#include "kernels/ghost/rim_at.h"

namespace vigil::ghost {
namespace {

__global__ void __launch_bounds__(lanes *warps)
    rims_kernel(Plane<const std::uint8_t> mask, ConstImage frame, Shifted shifted, int size, int columns,
                int cells, Rim *out) {
  const int cell = blockIdx.x * warps + threadIdx.y;
  if (cell >= cells) return; // the whole warp
  const ConstImage background = shifted.seen();
  Rim sum;
  for_each_piece(mask, size, columns, cell, [&](int x, int y, std::uint32_t full) {
    for_each_on_outline(mask, x, y, full, [&](int at) { sum += rim_at(mask, frame, background, at, y); });
  });
  sum.pixels = warp_sum(sum.pixels);
  sum.inside = warp_sum(sum.inside);
  sum.outside = static_cast<std::int32_t>(warp_sum(static_cast<std::uint32_t>(sum.outside)));
  sum.frame = warp_sum(sum.frame);
  sum.background = warp_sum(sum.background);
  sum.both = static_cast<std::int32_t>(warp_sum(static_cast<std::uint32_t>(sum.both)));
  if (threadIdx.x == 0) out[cell] = sum;
}

} // namespace

void launch_rims(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
                 const activity::Grid &grid, Rim *cells, CUstream_st *stream) {
  const dim3 blocks((grid.cells() + warps - 1) / warps), threads(lanes, warps);
  rims_kernel<<<blocks, threads, 0, stream>>>(mask, frame, background, grid.size, grid.columns, grid.cells(),
                                              cells);
}

} // namespace vigil::ghost
