// SPDX-License-Identifier: LGPL-2.1-or-later
// A time drawn into a picture, so that it needs neither fonts nor a plugin that draws text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vigil::monitor {

struct Plane { // of one byte a pixel
  std::uint8_t *data;
  std::size_t stride;
  int width, height;
};

// Draws digits, - : and U T C, white on black, at the top left of a picture: its brightness, and its two
// colour planes of half the size (I420). Other characters are spaces.
void burn_in(std::string_view words, Plane luma, Plane u, Plane v);

// 2026-11-26 04:15:07 UTC
std::string burn_in_time(std::int64_t micros);

} // namespace vigil::monitor
