// SPDX-License-Identifier: LGPL-2.1-or-later
// The grid of square cells in which kernels and elements say where in a picture something is.
//
// Cells have `size` pixels a side: 8, 16, 32 or 64, the smallest that gives at most 4096 cells, or 64. Those
// at the right and at the bottom may be cut short. Source: this project.
#pragma once

#include "common/plane.h"

#include <cstdint>

namespace vigil::cell_grid {

struct Grid {
  int width = 0, height = 0; // of the picture
  int size = 0;              // of a cell
  int columns = 0, rows = 0;
  int cells() const { return columns * rows; }
  bool operator==(const Grid &) const = default;
};
Grid grid_for(int width, int height); // throws Error::bad_setting for a size below 1x1
// Throws Error::bad_setting unless the mask has memory and the grid is grid_for() its size.
void check_grid(Plane<const std::uint8_t> mask, const Grid &);

} // namespace vigil::cell_grid
