// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: a cell's foreground and its outline, found by a warp. A lane looks at four pixels of the
// mask at a time.
#pragma once

#include "common/cuda/bytes.h"
#include "common/plane.h"

#include <cstdint>

namespace vigil::ghost {

inline constexpr int lanes = 32;
inline constexpr int warps = 8; // a block

inline constexpr std::uint32_t all_four = 0x80808080u; // the top bit of each byte

// Which of the four pixels from (x, y) on are full, by top bits; what lies outside of the picture is not.
__device__ inline std::uint32_t full_at(const Plane<const std::uint8_t> &mask, int x, int y) {
  return tops_full(load<4>(mask.row(y) + x, mask.width - x).word[0]);
}
// Those of them whose four neighbours are all full or outside of the picture; `full`: they themselves.
__device__ inline std::uint32_t surrounded(const Plane<const std::uint8_t> &mask, int x, int y,
                                           std::uint32_t full) {
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

// Calls each(x, y, full) for the four pixels from (x, y) on, where one of them is full.
template <class Each>
__device__ void for_each_piece(const Plane<const std::uint8_t> &mask, int size, int columns, int cell,
                               Each each) {
  const int x0 = cell % columns * size, y0 = cell / columns * size;
  const int in_row = size / 4; // pieces of four pixels
  for (int i = threadIdx.x; i < in_row * size; i += lanes) {
    const int x = x0 + i % in_row * 4, y = y0 + i / in_row;
    if (y >= mask.height || x >= mask.width) continue;
    const std::uint32_t full = full_at(mask, x, y);
    if (full != 0) each(x, y, full);
  }
}
// Calls each(x) for those of such a piece that are on the outline.
template <class Each>
__device__ void for_each_on_outline(const Plane<const std::uint8_t> &mask, int x, int y, std::uint32_t full,
                                    Each each) {
  for (std::uint32_t left = full & ~surrounded(mask, x, y, full); left != 0; left &= left - 1)
    each(x + (__ffs(static_cast<int>(left)) - 1) / 8);
}

} // namespace vigil::ghost
