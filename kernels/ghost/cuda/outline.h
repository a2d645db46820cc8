// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: which of four pixels of a mask are foreground, and which of these are on the outline. By the
// top bits of a word's bytes.
#pragma once

#include "common/cuda/bytes.h"
#include "common/plane.h"

#include <cstdint>

namespace vigil::ghost {

inline constexpr std::uint32_t all_four = 0x80808080u; // the top bit of each byte

// Which of the four pixels from (x, y) on are full; what lies outside of the picture is not.
__device__ inline std::uint32_t full_at(const Plane<const std::uint8_t> &mask, int x, int y) {
  if (x >= mask.width || y >= mask.height) return 0;
  return tops_full(load<4>(mask.row(y) + x, mask.width - x).word[0]);
}
// Those of them whose four neighbours are all full or outside of the picture; `full`: they themselves, of
// which one is full.
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

} // namespace vigil::ghost
