// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/colinearseg/packed.h"

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
  unpack_mask(labels, {s.mask.data(), s.config.width, s.config.height, s.config.width});
}

} // namespace vigil::colinearseg
