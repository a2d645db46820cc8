// SPDX-License-Identifier: LGPL-2.1-or-later
// A mask of one bit a pixel: bit i of word k of a row is pixel 32*k + i.
#pragma once

#include "common/plane.h"

#include <cstdint>
#include <span>

namespace vigil {

// 32-bit words in a row of `width` pixels.
constexpr int words_of(int width) {
  return (width + 31) / 32;
}

// Writes 0 and 255. `bits` has words_of(mask.width) * mask.height words.
void unpack_mask(std::span<const std::uint32_t> bits, Plane<std::uint8_t> mask);

} // namespace vigil
