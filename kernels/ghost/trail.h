// SPDX-License-Identifier: LGPL-2.1-or-later
// Was something near here in the frame before? Who walks, runs or drives was; an insect before the lens or a
// flake was elsewhere. Host memory, a few thousand cells.
//
// A group of cells follows when a cell of a group in the frame before lies within its box of cells, made
// larger on each side by half of the box's longer side, and at least by one cell. Frames that last less than
// trail_least show an insect twice at about one place, and between those that last more than trail_most
// people walk too far: there every group follows.
//
// Source: this project. The half was chosen on seed 1 of scenetestsrc's `insects` and `snow`
// (docs/measurements/log/2026-11/foreground.md).
#pragma once

#include "kernels/cell_grid/cell_grid.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vigil::ghost {

inline constexpr double trail_least = 0.1, trail_most = 0.35; // seconds

class Trail {
 public:
  void reset(const cell_grid::Grid &grid) {
    grid_ = grid;
    before_.assign(std::size_t(grid.cells()), 0);
    now_ = before_;
  }
  // Adds a group of this frame, which lasts `seconds`. Whether it follows.
  bool add(std::span<const int> group, double seconds) {
    for (const int cell : group) now_[std::size_t(cell)] = 1;
    return follows(group, seconds);
  }
  void end() { // of the frame
    before_.swap(now_);
    std::fill(now_.begin(), now_.end(), std::uint8_t{0});
  }

 private:
  bool follows(std::span<const int> group, double seconds) const {
    constexpr double rounding = 1e-3;
    if (seconds < trail_least - rounding || seconds > trail_most + rounding) return true;
    int left = grid_.columns, right = -1, top = grid_.rows, bottom = -1;
    for (const int cell : group) {
      left = std::min(left, cell % grid_.columns);
      right = std::max(right, cell % grid_.columns);
      top = std::min(top, cell / grid_.columns);
      bottom = std::max(bottom, cell / grid_.columns);
    }
    const int around = std::max(1, (std::max(right - left, bottom - top) + 1) / 2);
    for (int y = std::max(top - around, 0); y <= std::min(bottom + around, grid_.rows - 1); y++)
      for (int x = std::max(left - around, 0); x <= std::min(right + around, grid_.columns - 1); x++)
        if (before_[std::size_t(y) * std::size_t(grid_.columns) + std::size_t(x)]) return true;
    return false;
  }
  cell_grid::Grid grid_;
  std::vector<std::uint8_t> before_, now_; // cells of groups in the frame before, and in this one
};

} // namespace vigil::ghost
