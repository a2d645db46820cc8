// SPDX-License-Identifier: LGPL-2.1-or-later
// The 8-connected components of cells of a grid, found by flooding from each cell that no component has yet,
// row by row. Host memory.
#pragma once

#include "kernels/cell_grid/cell_grid.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vigil::cell_grid {

class Components {
 public:
  void reset(const Grid &grid) {
    grid_ = grid;
    seen_.assign(static_cast<std::size_t>(grid.cells()), 0);
    members_.reserve(seen_.size());
  }
  // Calls each(cells), a span of cells' numbers, for every component of the cells that are not 0.
  template <class Each>
  void for_each(std::span<const std::uint8_t> in, Each each) {
    std::fill(seen_.begin(), seen_.end(), 0);
    for (int first = 0; first < grid_.cells(); first++) {
      members_.clear();
      visit(in, first);
      for (std::size_t i = 0; i < members_.size(); i++) { // grows while the group does
        const int column = members_[i] % grid_.columns, row = members_[i] / grid_.columns;
        for (int y = std::max(row - 1, 0); y <= std::min(row + 1, grid_.rows - 1); y++)
          for (int x = std::max(column - 1, 0); x <= std::min(column + 1, grid_.columns - 1); x++)
            visit(in, y * grid_.columns + x);
      }
      if (!members_.empty()) each(std::span<const int>(members_));
    }
  }

 private:
  void visit(std::span<const std::uint8_t> in, int cell) {
    const auto i = static_cast<std::size_t>(cell);
    if (!in[i] || seen_[i]) return;
    seen_[i] = 1;
    members_.push_back(cell);
  }
  Grid grid_;
  std::vector<std::uint8_t> seen_;
  std::vector<int> members_;
};

} // namespace vigil::cell_grid
