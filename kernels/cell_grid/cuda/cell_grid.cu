// SPDX-License-Identifier: LGPL-2.1-or-later
// The counter on a GPU: a warp for each cell. A lane takes pieces of up to 16 pixels of the cell, one load
// each, and the warp puts the lanes' results together by shuffles; nothing is shared between cells.
#include "common/cuda/bytes.h"
#include "kernels/cell_grid/cuda/kernels.h"
#include "kernels/cell_grid/cuda/part.cuh"

#include <algorithm>

namespace vigil::cell_grid {
namespace {

constexpr int lanes = 32;
constexpr int warps = 8;
// Which of up to 16 pixels are foreground, as bits.
template <int pixels>
__device__ std::uint32_t foreground(const Bytes<pixels> &b) {
  std::uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < pixels / 4; i++) bits |= bits_of_tops(tops_full(b.word[i])) << (4 * i);
  return bits;
}

template <int size>
__global__ void __launch_bounds__(lanes *warps)
    count_kernel(Plane<const std::uint8_t> mask, int columns, int cells, Cell *out) {
  constexpr int piece = size < 16 ? size : 16, in_row = size / piece, pieces = size * in_row;
  constexpr int each = (pieces + lanes - 1) / lanes; // a lane's share
  const int cell = blockIdx.x * warps + threadIdx.y;
  if (cell >= cells) return; // the whole warp
  const int x0 = cell % columns * size, y0 = cell / columns * size;
  const std::uint8_t *const first = mask.row(y0) + x0;
  const bool whole = x0 + size <= mask.width && y0 + size <= mask.height;
  const bool aligned = (reinterpret_cast<std::uintptr_t>(first) | std::uintptr_t(mask.stride)) % piece == 0;
  Bytes<piece> data[each] = {}; // all loads are on their way before the first is needed
  if (whole && aligned) {
#pragma unroll
    for (int k = 0; k < each; k++) {
      const int i = k * lanes + threadIdx.x;
      if (i < pieces) data[k] = load_aligned<piece>(first + i / in_row * mask.stride + i % in_row * piece);
    }
  } else {
#pragma unroll
    for (int k = 0; k < each; k++) {
      const int i = k * lanes + threadIdx.x, x = i % in_row * piece, y = i / in_row;
      if (i < pieces && y0 + y < mask.height)
        data[k] = load<piece>(first + y * mask.stride + x, mask.width - x0 - x);
    }
  }
  Part own;
#pragma unroll
  for (int k = 0; k < each; k++) {
    const int i = k * lanes + threadIdx.x, x = i % in_row * piece, y = i / in_row;
    const std::uint32_t bits = foreground(data[k]);
    if (bits == 0) continue;
    own = join(own, part_of(bits, std::uint32_t(x), std::uint32_t(y)));
  }
  write_cell(own, out[cell]);
}

} // namespace

void launch_count(Plane<const std::uint8_t> mask, const Grid &grid, Cell *cells, CUstream_st *stream) {
  const dim3 blocks((grid.cells() + warps - 1) / warps), threads(lanes, warps);
  const auto launch = [&](auto kernel) {
    kernel<<<blocks, threads, 0, stream>>>(mask, grid.columns, grid.cells(), cells);
  };
  switch (grid.size) {
  case 8:
    return launch(count_kernel<8>);
  case 16:
    return launch(count_kernel<16>);
  case 32:
    return launch(count_kernel<32>);
  default:
    return launch(count_kernel<64>);
  }
}

} // namespace vigil::cell_grid
