// SPDX-License-Identifier: LGPL-2.1-or-later
// For kernels that count a grid's cells, a warp for each: what is known of a part of a cell, and how parts
// become a Cell.
#pragma once

#include "kernels/cell_grid/cell_grid.h"

namespace vigil::cell_grid {

// The box is kept as four bytes of which the least wins: left, top, 255 - right, 255 - bottom.
struct Part {
  std::uint32_t count = 0;
  std::uint32_t box = ~0u;
};
__device__ inline Part join(const Part &a, const Part &b) {
  return {a.count + b.count, __vminu4(a.box, b.box)};
}
// Of pixels in one row: bit i of `bits`, of which some is set, is column x + i of the cell.
__device__ inline Part part_of(std::uint32_t bits, std::uint32_t x, std::uint32_t y) {
  const std::uint32_t left = x + __ffs(int(bits)) - 1, right = x + 31 - __clz(int(bits));
  return {std::uint32_t(__popc(bits)), left | y << 8 | (255 - right) << 16 | (255 - y) << 24};
}
// Puts the lanes' parts together; lane 0 writes the cell.
__device__ inline void write_cell(Part own, Cell &out) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    const Part other{__shfl_down_sync(0xffffffffu, own.count, apart),
                     __shfl_down_sync(0xffffffffu, own.box, apart)};
    own = join(own, other);
  }
  if (threadIdx.x > 0) return;
  const auto byte = [&](int i) { return static_cast<std::uint8_t>(own.box >> (8 * i)); };
  Cell result;
  if (own.count > 0)
    result = {own.count, byte(0), byte(1), std::uint8_t(255 - byte(2)), std::uint8_t(255 - byte(3))};
  out = result;
}

} // namespace vigil::cell_grid
