// SPDX-License-Identifier: LGPL-2.1-or-later
// Polygons drawn into a mask.
#pragma once

#include "kernels/rules/geometry.h"

#include <cstdint>
#include <vector>

namespace vigil::rules {

// Width x height pixels, row by row: 0 where one of the polygons contains the pixel's centre, 255 elsewhere.
// Points are in units of the picture's width and height.
std::vector<std::uint8_t> polygon_mask(const std::vector<std::vector<Point>> &polygons, int width,
                                       int height);

} // namespace vigil::rules
