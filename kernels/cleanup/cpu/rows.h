// SPDX-License-Identifier: LGPL-2.1-or-later
// The rows of the CPU backend: the set F as one bit a pixel, and the four passes over it.
#pragma once

#include "common/cpu/bit_plane.h"
#include "common/plane.h"

#include <cstdint>

namespace vigil::cleanup {

// Rows first..last-1 of F from the mask (and `watch`, when it is not null).
void pack_rows(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> watch, BitPlane to, int first,
               int last);
// Bits of a column sum: 2 * (2 * max_radius + 1) needs as many.
inline constexpr int sum_planes = 6;
// The majority in windows of 2r+1 pixels, r >= 1. `sums` is sum_planes rows of scratch memory.
void median_rows(BitPlane from, BitPlane to, int r, int first, int last, BitPlane sums);
// Dilation, or erosion as the dilation of the complement, by 2r+1 pixels, 1 <= r <= 32. `scratch` is one row.
enum class Box { dilate, erode };
void box_rows(BitPlane from, BitPlane to, Box, int r, int first, int last, BitPlane scratch);
// The mask that F and the old mask make.
void unpack_rows(BitPlane from, Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, int first,
                 int last);

} // namespace vigil::cleanup
