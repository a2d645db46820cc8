// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/colinearseg/packed.h"

#include <bit>
#include <cstring>

namespace vigil::colinearseg {
namespace {

// The offset of pixel (x, y) in rows of rgba, and its number in a State.
std::size_t offset_of(int x, int y, std::ptrdiff_t stride) {
  return std::size_t(y) * std::size_t(stride) + std::size_t(4) * x;
}
template <class Fn>
void for_each_pixel(const Config &c, Fn fn) {
  for (int y = 0; y < c.height; y++)
    for (int x = 0; x < c.width; x++) fn(x, y, std::size_t(y) * c.width + x);
}

// 32 pixels, four at a time: bit i of four goes to the lowest bit of byte i.
void spread(std::uint32_t labels, std::uint8_t *to) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t fours[8];
  for (int i = 0; i < 8; i++) fours[i] = ((labels >> 4 * i & 15u) * 0x204081u & 0x1010101u) * 255u;
  std::memcpy(to, fours, sizeof fours);
}

// Rows of what colour(x, y, channel) says.
template <class Colour>
std::vector<std::uint8_t> rows_of(const Config &c, std::ptrdiff_t stride, Colour colour) {
  std::vector<std::uint8_t> rgba(std::size_t(stride) * c.height);
  for_each_pixel(c, [&](int x, int y, std::size_t i) {
    std::uint8_t *to = &rgba[offset_of(x, y, stride)];
    for (int k = 0; k < 3; k++) to[k] = colour(x, y, i, k);
    to[3] = 255;
  });
  return rgba;
}

} // namespace

std::vector<std::uint8_t> packed_background(const State &s, std::ptrdiff_t stride) {
  return rows_of(s.config, stride, [&](int, int, std::size_t i, int k) { return s.background[3 * i + k]; });
}

std::vector<std::uint8_t> packed_background(const ConstImage &image, std::ptrdiff_t stride) {
  const bool swapped = image.format == PixelFormat::bgra;
  return rows_of({image.width, image.height}, stride, [&](int x, int y, std::size_t, int k) {
    return image.plane(0).row(y)[4 * x + (swapped ? 2 - k : k)];
  });
}

void unpack_background(std::span<const std::uint8_t> rgba, std::ptrdiff_t stride, State &s) {
  for_each_pixel(s.config, [&](int x, int y, std::size_t i) {
    for (int k = 0; k < 3; k++) s.background[3 * i + k] = rgba[offset_of(x, y, stride) + k];
  });
}

std::vector<std::uint32_t> packed_labels(const State &s) {
  const std::size_t words = words_of(s.config.width);
  std::vector<std::uint32_t> labels(words * s.config.height);
  for_each_pixel(s.config, [&](int x, int y, std::size_t i) {
    if (s.mask[i]) labels[y * words + x / 32] |= 1u << x % 32;
  });
  return labels;
}

void unpack_labels(std::span<const std::uint32_t> labels, State &s) {
  unpack_labels(labels, {s.mask.data(), s.config.width, s.config.height, s.config.width});
}

void unpack_labels(std::span<const std::uint32_t> labels, Plane<std::uint8_t> mask) {
  const std::size_t words = std::size_t(words_of(mask.width));
  for (int y = 0; y < mask.height; y++) {
    const std::span row = labels.subspan(std::size_t(y) * words, words);
    std::uint8_t *to = mask.row(y);
    int x = 0;
    for (; x + 32 <= mask.width; x += 32) spread(row[std::size_t(x) / 32], to + x);
    for (; x < mask.width; x++) to[x] = row[std::size_t(x) / 32] >> x % 32 & 1 ? 255 : 0;
  }
}

} // namespace vigil::colinearseg
