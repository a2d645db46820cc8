// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges on a GPU: a warp for each cell. A lane looks at four pixels of the mask at a time; pictures are read at the few pixels
// of an outline alone.
#include "common/cuda/bytes.h"
#include "kernels/ghost/cuda/kernels.h"
#include "kernels/ghost/luma.h"

namespace vigil::ghost {
namespace {

constexpr int lanes = 32;
constexpr int warps = 8;

__global__ void __launch_bounds__(lanes *warps)
    edges_kernel(Plane<const std::uint8_t> mask, ConstImage frame, ConstImage background, int size,
                 int columns, int cells, Cell *out) {
  const int cell = blockIdx.x * warps + threadIdx.y;
  if (cell >= cells) return; // the whole warp
  const int x0 = cell % columns * size, y0 = cell / columns * size;
  const int in_row = size / 4; // pieces of four pixels
  Cell sum;
  for (int i = threadIdx.x; i < in_row * size; i += lanes) {
    const int x = x0 + i % in_row * 4, y = y0 + i / in_row;
    if (y >= mask.height || x >= mask.width) continue;
    const std::uint32_t full = tops_full(load<4>(mask.row(y) + x, mask.width - x).word[0]);
    if (full == 0) continue;
    sum.pixels += static_cast<std::uint32_t>(__popc(full));
    for (int k = 0; k < 4 && x + k < mask.width; k++)
      if (on_outline(mask, x + k, y)) sum += {0, 1, edge_at(frame, x + k, y), edge_at(background, x + k, y)};
  }
  sum.pixels = __reduce_add_sync(~0u, sum.pixels);
  sum.outline = __reduce_add_sync(~0u, sum.outline);
  sum.frame = __reduce_add_sync(~0u, sum.frame);
  sum.background = __reduce_add_sync(~0u, sum.background);
  if (threadIdx.x == 0) out[cell] = sum;
}

} // namespace

void launch_edges(Plane<const std::uint8_t> mask, const ConstImage &frame, const ConstImage &background,
                  const activity::Grid &grid, Cell *cells, CUstream_st *stream) {
  const dim3 blocks((grid.cells() + warps - 1) / warps), threads(lanes, warps);
  edges_kernel<<<blocks, threads, 0, stream>>>(mask, frame, background, grid.size, grid.columns, grid.cells(),
                                               cells);
}

} // namespace vigil::ghost
