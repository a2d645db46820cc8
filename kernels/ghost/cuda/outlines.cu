// SPDX-License-Identifier: LGPL-2.1-or-later
// Outlines on a GPU. A block takes `warps` cells of a row, a warp each, and reads their mask once. The pixels
// of outlines that it finds are put into a list, from which all threads take one at a time: most cells have
// none, and where an outline passes, the pictures are read by all lanes at once instead of one after the
// other. Sums are gathered in shared memory and written as whole lines, since the results lie in host memory,
// which takes many short writes slowly. All other work happens at the same
// time as the kernel before this one (see common/cuda/launch.h), which Outlines::apply() says writes none of
// the pictures.
#include "common/cuda/bytes.h"
#include "common/cuda/launch.h"
#include "common/cuda/warp.h"
#include "kernels/ghost/boundary_contrast_at.h"
#include "kernels/ghost/cuda/kernels.h"
#include "kernels/ghost/cuda/luma_of.h"

namespace vigil::ghost {
namespace {

constexpr int lanes = 32, warps = 8, threads = lanes * warps;
constexpr int in_cell = sizeof(Cell) / 4, in_rim = sizeof(BoundaryContrast) / 4; // words

constexpr std::uint32_t room = 2048;
struct Shared {
  std::uint32_t cells[warps][in_cell], rims[warps][in_rim];
  std::uint16_t list[room]; // number of a cell in the block, row and column in the cell
  std::uint32_t count;      // of the block's outlines
};

struct Call {
  Plane<const std::uint8_t> mask;
  ConstImage frame;
  Shifted background;
  int columns, cells;
  std::uint32_t *edges, *rims; // the words of Cell and of Rim
};

// Which of four pixels of the mask are foreground, and which of these are on the outline, by the top bits of
// a word's bytes.
constexpr std::uint32_t all_four = 0x80808080u; // the top bit of each byte

// Which of the four pixels from (x, y) on are full; what lies outside of the picture is not.
__device__ std::uint32_t full_at(const Plane<const std::uint8_t> &mask, int x, int y) {
  if (x >= mask.width || y >= mask.height) return 0;
  return tops_full(load<4>(mask.row(y) + x, mask.width - x).word[0]);
}
// Those of them whose four neighbours are all full or outside of the picture; `full`: they themselves, of
// which one is full.
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

// edge_at() with one access a pixel.
__device__ std::uint32_t edge_of(const ConstImage &p, int x, int y) {
  const Gradient g = gradient_at(p, x, y, luma_of);
  return static_cast<std::uint32_t>(abs(g.across) + abs(g.down));
}

// Adds the words of a Cell or a Rim up over the lanes of `group`, and the sum to `to`.
template <int n>
__device__ void gather(unsigned group, bool leads, const std::uint32_t (&v)[n], std::uint32_t *to) {
#pragma unroll
  for (int k = 0; k < n; k++) {
    const std::uint32_t sum = group_sum(group, v[k]);
    if (leads && sum != 0) atomicAdd(to + k, sum);
  }
}

// What the `count` listed pixels add. The whole block calls it, between two barriers.
template <int size>
__device__ void take_list(Shared &s, int count, const Call &c, const ConstImage &background, int first_cell) {
  const int lane = threadIdx.x, thread = threadIdx.y * lanes + lane;
  for (int i = thread; i - lane < count; i += threads) { // whole warps
    const int entry = i < count ? s.list[i] : -1, place = entry < 0 ? -1 : entry / (size * size);
    const unsigned group = __match_any_sync(~0u, place);
    if (place < 0) continue; // the whole group; the warp meets again at the loop's head
    const int cell = first_cell + place;
    const int x = cell % c.columns * size + entry % size, y = cell / c.columns * size + entry / size % size;
    const BoundaryContrast r = rim_at(c.mask, c.frame, background, x, y, luma_of);
    const std::uint32_t edge[in_cell] = {0, 1, edge_of(c.frame, x, y), edge_of(background, x, y)};
    const std::uint32_t rim[in_rim] = {r.pixels, r.inside,     static_cast<std::uint32_t>(r.outside),
                                       r.frame,  r.background, static_cast<std::uint32_t>(r.both)};
    const bool leads = lane == __ffs(static_cast<int>(group)) - 1;
    gather(group, leads, edge, s.cells[place]);
    gather(group, leads, rim, s.rims[place]);
  }
}

// This thread's place among all of its block's pixels on outlines, of which it has `own`. A barrier must
// follow before s.count is read.
__device__ std::uint32_t place_of(Shared &s, std::uint32_t own) {
  std::uint32_t up_to = own;
#pragma unroll
  for (int distance = 1; distance < lanes; distance *= 2) {
    const std::uint32_t before = __shfl_up_sync(~0u, up_to, distance);
    if (static_cast<int>(threadIdx.x) >= distance) up_to += before;
  }
  std::uint32_t first = 0;
  if (threadIdx.x == lanes - 1 && up_to > 0) first = atomicAdd(&s.count, up_to);
  return __shfl_sync(~0u, first, lanes - 1) + up_to - own;
}

template <int size>
__global__ void __launch_bounds__(threads) outlines_kernel(const __grid_constant__ Call c) {
  static_assert(warps * size * size <= 1 << 16);
  constexpr int in_row = size / 4, pieces = in_row * size; // of four pixels
  constexpr int each = (pieces + lanes - 1) / lanes;       // a lane's share
  __shared__ Shared s;
  const int thread = threadIdx.y * lanes + threadIdx.x, first_cell = blockIdx.x * warps,
            cell = first_cell + threadIdx.y;
  const int x0 = cell % c.columns * size, y0 = cell / c.columns * size;
  const auto column = [](int piece) { return piece % in_row * 4; };
  const auto row = [](int piece) { return piece / in_row; };
  std::uint32_t full[each], pixels = 0; // all loads are on their way before the first is needed
#pragma unroll
  for (int k = 0; k < each; k++) {
    const int piece = k * lanes + threadIdx.x;
    full[k] = cell < c.cells && piece < pieces ? full_at(c.mask, x0 + column(piece), y0 + row(piece)) : 0;
  }
#pragma unroll
  for (int k = 0; k < each; k++) pixels += static_cast<std::uint32_t>(__popc(full[k]));
  for (int i = thread; i < warps * in_cell; i += threads) s.cells[0][i] = 0;
  for (int i = thread; i < warps * in_rim; i += threads) s.rims[0][i] = 0;
  if (thread == 0) s.count = 0;
  if (__syncthreads_or(pixels != 0)) {
    std::uint32_t own = 0; // from here on `full` has the outline
#pragma unroll
    for (int k = 0; k < each; k++) {
      const int piece = k * lanes + threadIdx.x;
      if (full[k] != 0) full[k] &= ~surrounded(c.mask, x0 + column(piece), y0 + row(piece), full[k]);
      own += static_cast<std::uint32_t>(__popc(full[k]));
    }
    const std::uint32_t place = place_of(s, own);
    pixels = warp_sum(pixels);
    if (threadIdx.x == 0) s.cells[threadIdx.y][0] = pixels;
    __syncthreads();
    const std::uint32_t all = s.count;
    const ConstImage background = c.background.seen();
    for (std::uint32_t first = 0; first < all; first += room) { // once, except in noise
      std::uint32_t at = place - first;                         // beyond `room` where it is not its turn
#pragma unroll
      for (int k = 0; k < each; k++) {
        const int piece = k * lanes + threadIdx.x;
        const int entry = (static_cast<int>(threadIdx.y) * size + row(piece)) * size + column(piece);
        for (std::uint32_t left = full[k]; left != 0; left &= left - 1, at++)
          if (at < room)
            s.list[at] = static_cast<std::uint16_t>(entry + (__ffs(static_cast<int>(left)) - 1) / 8);
      }
      __syncthreads();
      take_list<size>(s, static_cast<int>(min(room, all - first)), c, background, first_cell);
      __syncthreads();
    }
  }
  wait_for_earlier();
  begin_next();
  const int own = min(warps, c.cells - first_cell);
  for (int i = thread; i < own * in_cell; i += threads) c.edges[first_cell * in_cell + i] = s.cells[0][i];
  for (int i = thread; i < own * in_rim; i += threads) c.rims[first_cell * in_rim + i] = s.rims[0][i];
}

} // namespace

void launch_outlines(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
                     const cell_grid::Grid &grid, Cell *edges, BoundaryContrast *rims, CUstream_st *stream) {
  const dim3 blocks((grid.cells() + warps - 1) / warps), shape(lanes, warps);
  const Call call{mask,
                  frame,
                  background,
                  grid.columns,
                  grid.cells(),
                  reinterpret_cast<std::uint32_t *>(edges),
                  reinterpret_cast<std::uint32_t *>(rims)};
  switch (grid.size) {
  case 8:
    return launch_early(outlines_kernel<8>, blocks, shape, 0, stream, call);
  case 16:
    return launch_early(outlines_kernel<16>, blocks, shape, 0, stream, call);
  case 32:
    return launch_early(outlines_kernel<32>, blocks, shape, 0, stream, call);
  default:
    return launch_early(outlines_kernel<64>, blocks, shape, 0, stream, call);
  }
}

} // namespace vigil::ghost
