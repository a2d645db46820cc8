// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture of one bit a pixel, for loops that work on 64 pixels a word and several words a vector.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vigil {

// Pixel x of a row is bit x % 64 of word x / 64. Loops run over whole vectors of `lanes` words and look one
// word to either side, so a row has `lanes` words before it and is rounded up behind: row(y)[-1 .. padded]
// may be read. Bits that are no pixels are 0.
struct BitPlane {
  static constexpr int lanes = 8;

  std::uint64_t *data = nullptr;
  int width = 0, height = 0;

  int words() const { return (width + 63) / 64; }
  int padded() const { return (words() + lanes - 1) / lanes * lanes; }
  int pitch() const { return lanes + padded(); }
  std::uint64_t *row(int y) const { return data + std::ptrdiff_t{y} * pitch() + lanes; }
  // The pixels of the last word.
  std::uint64_t last() const { return ~std::uint64_t{0} >> (words() * 64 - width); }
  // Words that `rows` rows need.
  std::size_t size(int rows) const { return std::size_t(rows) * pitch() + lanes; }
};

} // namespace vigil
