// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/packed_mask.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace vigil {
namespace {

// 32 pixels, four at a time: bit i of four goes to the lowest bit of byte i.
void spread(std::uint32_t bits, std::uint8_t *to) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t fours[8];
  for (int i = 0; i < 8; i++) fours[i] = ((bits >> 4 * i & 15u) * 0x204081u & 0x1010101u) * 255u;
  std::memcpy(to, fours, sizeof fours);
}

} // namespace

void unpack_mask(std::span<const std::uint32_t> bits, Plane<std::uint8_t> mask) {
  const std::size_t words = std::size_t(words_of(mask.width));
  for (int y = 0; y < mask.height; y++) {
    const std::span row = bits.subspan(std::size_t(y) * words, words);
    std::uint8_t *to = mask.row(y);
    int x = 0;
    for (; x + 32 <= mask.width; x += 32) spread(row[std::size_t(x) / 32], to + x);
    for (; x < mask.width; x++) to[x] = row[std::size_t(x) / 32] >> x % 32 & 1 ? 255 : 0;
  }
}

} // namespace vigil
