// SPDX-License-Identifier: LGPL-2.1-or-later
#include "burn_in.h"

#include "../store/event.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr int wide = 5, high = 7, advance = wide + 1;
using Glyph = std::array<std::uint8_t, high>; // rows; bit 4 is the left pixel

constexpr std::pair<char, Glyph> glyphs[] = {
    {'0', {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110}},
    {'1', {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110}},
    {'2', {0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111}},
    {'3', {0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110}},
    {'4', {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010}},
    {'5', {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110}},
    {'6', {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110}},
    {'7', {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000}},
    {'8', {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110}},
    {'9', {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100}},
    {'-', {0b00000, 0b00000, 0b00000, 0b11111, 0b00000, 0b00000, 0b00000}},
    {':', {0b00000, 0b01100, 0b01100, 0b00000, 0b01100, 0b01100, 0b00000}},
    {'U', {0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110}},
    {'T', {0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100}},
    {'C', {0b01110, 0b10001, 0b10000, 0b10000, 0b10000, 0b10001, 0b01110}},
};

void fill(const Plane &p, int left, int top, int width, int height, std::uint8_t value) {
  for (int y = std::max(top, 0); y < std::min(top + height, p.height); y++) {
    const int end = std::min(left + width, p.width), begin = std::clamp(left, 0, std::max(end, 0));
    std::fill(p.data + static_cast<std::size_t>(y) * p.stride + begin,
              p.data + static_cast<std::size_t>(y) * p.stride + std::max(end, begin), value);
  }
}

} // namespace

void burn_in(std::string_view words, Plane luma, Plane u, Plane v) {
  constexpr std::uint8_t black = 16, white = 235, grey = 128;
  constexpr int lines = 200; // of a picture, for each pixel of the letters
  const int columns = static_cast<int>(words.size()) * advance + 1;
  const int scale = std::max(1, std::min(luma.height / lines + 1, luma.width / std::max(columns, 1)));
  const int width = columns * scale, height = (high + 2) * scale;
  fill(luma, 0, 0, width, height, black);
  for (const Plane &colour : {u, v}) fill(colour, 0, 0, (width + 1) / 2, (height + 1) / 2, grey);
  int left = scale;
  for (const char c : words) {
    for (const auto &[name, glyph] : glyphs)
      for (int y = 0; y < high && name == c; y++)
        for (int x = 0; x < wide; x++)
          if (glyph[static_cast<std::size_t>(y)] >> (wide - 1 - x) & 1)
            fill(luma, left + x * scale, (y + 1) * scale, scale, scale, white);
    left += advance * scale;
  }
}

std::string burn_in_time(std::int64_t micros) {
  std::string time =
      utc_timestamp(static_cast<double>(micros / 1'000'000)); // whole seconds, never the next one
  time.resize(time.find('.'));
  std::replace(time.begin(), time.end(), 'T', ' ');
  return time + " UTC";
}

} // namespace vigil::monitor
