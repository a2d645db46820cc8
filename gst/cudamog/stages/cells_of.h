// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst/metadata/box.h"
#include "kernels/cell_grid/cell_grid.h"

#include <cstddef>

namespace vigil::gst::cudamog {

// Calls fn(cell) for each cell of the grid that the box touches.
template <class Fn>
void for_each_cell(const cell_grid::Grid &grid, const Box &b, Fn fn) {
  for (int row = b.y / grid.size; row <= (b.y + b.height - 1) / grid.size; row++)
    for (int column = b.x / grid.size; column <= (b.x + b.width - 1) / grid.size; column++)
      fn(std::size_t(row * grid.columns + column));
}

} // namespace vigil::gst::cudamog
