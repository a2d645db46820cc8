// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges on a GPU: a warp for each cell. A lane looks at four pixels of the mask at a time; pictures are read
// at the few pixels of an outline alone.
#include "common/cuda/bytes.h"
#include "common/cuda/warp.h"
#include "kernels/ghost/cuda/kernels.h"
#include "kernels/ghost/luma.h"

namespace vigil::ghost {
namespace {

constexpr int lanes = 32;
constexpr int warps = 8;

constexpr std::uint32_t all_four = 0x80808080u; // the top bit of each byte

// Which of the four pixels from (x, y) on are full, by top bits; what lies outside of the picture is not.
__device__ std::uint32_t full_at(const Plane<const std::uint8_t> &mask, int x, int y) {
  return tops_full(load<4>(mask.row(y) + x, mask.width - x).word[0]);
}
// Those of them whose four neighbours are all full or outside of the picture; `full`: they themselves.
__device__ std::uint32_t surrounded(const Plane<const std::uint8_t> &mask, int x, int y, std::uint32_t full) {
  const std::uint8_t *const row = mask.row(y);
  const int inside = mask.width - x; // pixels from x on
  const std::uint32_t beyond = inside < 4 ? all_four << (8 * inside) : 0;
  const bool before = x == 0 || row[x - 1] == 255, behind = inside <= 4 || row[x + 4] == 255;
  const std::uint32_t left = full << 8 | (before ? 0x80u : 0u),
                      right = (full | beyond) >> 8 | (behind ? 0x80000000u : 0u);
  const std::uint32_t above = y == 0 ? all_four : full_at(mask, x, y - 1),
                      below = y + 1 == mask.height ? all_four : full_at(mask, x, y + 1);
  return left & right & above & below;
}

// luma_at() and edge_at() with one access a pixel.
__device__ int luma_of(const ConstImage &p, int x, int y) {
  if (p.format != PixelFormat::rgba && p.format != PixelFormat::bgra) return luma_at(p, x, y);
  x = max(0, min(x, p.width - 1));
  y = max(0, min(y, p.height - 1));
  const std::uint32_t v = load<4>(p.plane(0).row(y) + 4 * static_cast<std::ptrdiff_t>(x), 4).word[0];
  const int first = byte_of(v, 0), third = byte_of(v, 2);
  return p.format == PixelFormat::rgba ? mog::luma(first, byte_of(v, 1), third)
                                       : mog::luma(third, byte_of(v, 1), first);
}
__device__ std::uint32_t edge_of(const ConstImage &p, int x, int y) {
  return static_cast<std::uint32_t>(abs(luma_of(p, x + reach, y) - luma_of(p, x - reach, y)) +
                                    abs(luma_of(p, x, y + reach) - luma_of(p, x, y - reach)));
}

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
    const std::uint32_t full = full_at(mask, x, y);
    if (full == 0) continue;
    sum.pixels += static_cast<std::uint32_t>(__popc(full));
    for (std::uint32_t left = full & ~surrounded(mask, x, y, full); left != 0; left &= left - 1) {
      const int at = x + (__ffs(static_cast<int>(left)) - 1) / 8;
      sum += {0, 1, edge_of(frame, at, y), edge_of(background, at, y)};
    }
  }
  sum.pixels = warp_sum(sum.pixels);
  sum.outline = warp_sum(sum.outline);
  sum.frame = warp_sum(sum.frame);
  sum.background = warp_sum(sum.background);
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
