// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges on a GPU: a warp for each cell. Pictures are read at the few pixels of an outline alone.
#include "common/cuda/warp.h"
#include "kernels/ghost/cuda/kernels.h"
#include "kernels/ghost/cuda/luma_of.h"
#include "kernels/ghost/cuda/outline.h"

namespace vigil::ghost {
namespace {

// edge_at() with one access a pixel.
__device__ std::uint32_t edge_of(const ConstImage &p, int x, int y) {
  return static_cast<std::uint32_t>(abs(luma_of(p, x + reach, y) - luma_of(p, x - reach, y)) +
                                    abs(luma_of(p, x, y + reach) - luma_of(p, x, y - reach)));
}

__global__ void __launch_bounds__(lanes *warps)
    edges_kernel(Plane<const std::uint8_t> mask, ConstImage frame, Shifted shifted, int size, int columns,
                 int cells, Cell *out) {
  const int cell = blockIdx.x * warps + threadIdx.y;
  if (cell >= cells) return; // the whole warp
  const ConstImage background = shifted.seen();
  Cell sum;
  for_each_piece(mask, size, columns, cell, [&](int x, int y, std::uint32_t full) {
    sum.pixels += static_cast<std::uint32_t>(__popc(full));
    for_each_on_outline(mask, x, y, full, [&](int at) {
      sum += {0, 1, edge_of(frame, at, y), edge_of(background, at, y)};
    });
  });
  sum.pixels = warp_sum(sum.pixels);
  sum.outline = warp_sum(sum.outline);
  sum.frame = warp_sum(sum.frame);
  sum.background = warp_sum(sum.background);
  if (threadIdx.x == 0) out[cell] = sum;
}

} // namespace

void launch_edges(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
                  const activity::Grid &grid, Cell *cells, CUstream_st *stream) {
  const dim3 blocks((grid.cells() + warps - 1) / warps), threads(lanes, warps);
  edges_kernel<<<blocks, threads, 0, stream>>>(mask, frame, background, grid.size, grid.columns, grid.cells(),
                                               cells);
}

} // namespace vigil::ghost
