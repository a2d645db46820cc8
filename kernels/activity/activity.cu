// SPDX-License-Identifier: LGPL-2.1-or-later
// The counter on a GPU: a warp for each cell. A lane takes pieces of up to 16 pixels of the cell, one load each, and the
// warp puts the lanes' results together by shuffles; nothing is shared between cells.
#include "common/cuda/bytes.h"
#include "kernels/activity/cuda.h"

#include <algorithm>

namespace vigil::activity {
namespace {

constexpr int lanes = 32;
constexpr int warps = 8;
constexpr unsigned all_lanes = 0xffffffffu;

// What is known of a part of a cell. The box is kept as four bytes of which the least wins: left, top, 255 - right,
// 255 - bottom.
struct Part {
  std::uint32_t count;
  std::uint32_t box;
};
__device__ Part join(const Part &a, const Part &b) {
  return {a.count + b.count, __vminu4(a.box, b.box)};
}

// Which of 16 pixels are foreground, as bits.
__device__ std::uint32_t foreground(const Bytes16 &b) {
  std::uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < 4; i++) bits |= bits_of_tops(tops_full(b.word[i])) << (4 * i);
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
  const auto aligned = (reinterpret_cast<std::uintptr_t>(first) | mask.stride) % 16 == 0;
  Bytes16 data[each]; // all loads are on their way before the first is needed
  if (piece == 16 && pieces >= lanes && whole && aligned) {
#pragma unroll
    for (int k = 0; k < each; k++) {
      const int i = k * lanes + threadIdx.x;
      data[k] = load16_aligned(first + i / in_row * mask.stride + i % in_row * piece);
    }
  } else {
#pragma unroll
    for (int k = 0; k < each; k++) {
      const int i = k * lanes + threadIdx.x, x = i % in_row * piece, y = i / in_row;
      const bool there = i < pieces && y0 + y < mask.height;
      data[k] = load16(first + y * mask.stride + x, there ? min(piece, mask.width - x0 - x) : 0);
    }
  }
  Part own{0, ~0u};
#pragma unroll
  for (int k = 0; k < each; k++) {
    const int i = k * lanes + threadIdx.x, x = i % in_row * piece, y = i / in_row;
    const std::uint32_t bits = foreground(data[k]);
    if (bits == 0) continue;
    const std::uint32_t left = x + __ffs(int(bits)) - 1, right = x + 31 - __clz(int(bits));
    const std::uint32_t box = left | y << 8 | (255 - right) << 16 | std::uint32_t(255 - y) << 24;
    own = join(own, {std::uint32_t(__popc(bits)), box});
  }
#pragma unroll
  for (int apart = lanes / 2; apart > 0; apart /= 2) {
    const Part other{__shfl_down_sync(all_lanes, own.count, apart),
                     __shfl_down_sync(all_lanes, own.box, apart)};
    own = join(own, other);
  }
  if (threadIdx.x > 0) return;
  const auto byte = [&](int i) { return static_cast<std::uint8_t>(own.box >> (8 * i)); };
  Cell result;
  if (own.count > 0)
    result = {own.count, byte(0), byte(1), std::uint8_t(255 - byte(2)), std::uint8_t(255 - byte(3))};
  out[cell] = result;
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

} // namespace vigil::activity
