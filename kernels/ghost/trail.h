// SPDX-License-Identifier: LGPL-2.1-or-later
// Was something near here in the frame before? Who walks, runs or drives was; an insect before the lens or a
// flake was elsewhere. Host memory, a few thousand cells.
//
// A group of cells follows when a cell of a group in the frame before lies within its box of cells, made
// larger on each side by half of the box's longer side, and at least by one cell. Frames that last less than
// trail_least show an insect twice at about one place, and between those that last more than trail_most
// people walk too far: there every group follows.
//
// Of many flakes some follow by chance. The chance of a group is the share of the places in the picture at
// which a box of its size would follow, asked at every second column and row of cells.
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
    now_.assign(std::size_t(grid.cells()), 0);
    sums_.assign(std::size_t(grid.columns + 1) * std::size_t(grid.rows + 1), 0);
    chances_.clear();
  }
  // Adds a group of this frame, which lasts `seconds`. Whether it follows.
  bool add(std::span<const int> group, double seconds) {
    constexpr double rounding = 1e-3;
    for (const int cell : group) now_[std::size_t(cell)] = 1;
    return seconds < trail_least - rounding || seconds > trail_most + rounding || follows(box_of(group));
  }
  double chance(std::span<const int> group) {
    const Box box = box_of(group);
    for (const Chance &c : chances_)
      if (c.columns == box.columns && c.rows == box.rows) return c.chance;
    return chances_.emplace_back(box.columns, box.rows, chance_of(box.columns, box.rows)).chance;
  }
  void end() { // of the frame
    const auto columns = std::size_t(grid_.columns);
    for (std::size_t y = 0; y < std::size_t(grid_.rows); y++) {
      int row = 0;
      for (std::size_t x = 0; x < columns; x++) {
        row += now_[y * columns + x];
        sums_[(y + 1) * (columns + 1) + x + 1] = sums_[y * (columns + 1) + x + 1] + row;
      }
    }
    std::fill(now_.begin(), now_.end(), std::uint8_t{0});
    chances_.clear();
  }

 private:
  struct Box {
    int left, top, columns, rows;
  };
  struct Chance {
    int columns, rows;
    double chance;
  };

  Box box_of(std::span<const int> group) const {
    int left = grid_.columns, right = -1, top = grid_.rows, bottom = -1;
    for (const int cell : group) {
      left = std::min(left, cell % grid_.columns);
      right = std::max(right, cell % grid_.columns);
      top = std::min(top, cell / grid_.columns);
      bottom = std::max(bottom, cell / grid_.columns);
    }
    return {left, top, right - left + 1, bottom - top + 1};
  }
  bool follows(const Box &b) const {
    const int around = std::max(1, std::max(b.columns, b.rows) / 2);
    const int left = std::max(b.left - around, 0),
              right = std::min(b.left + b.columns + around, grid_.columns), top = std::max(b.top - around, 0),
              bottom = std::min(b.top + b.rows + around, grid_.rows);
    return sum(right, bottom) - sum(left, bottom) - sum(right, top) + sum(left, top) > 0;
  }
  int sum(int column, int row) const {
    return sums_[std::size_t(row) * std::size_t(grid_.columns + 1) + std::size_t(column)];
  }
  double chance_of(int columns, int rows) const {
    int places = 0, found = 0;
    for (int top = 0; top + rows <= grid_.rows; top += 2)
      for (int left = 0; left + columns <= grid_.columns; left += 2, places++)
        found += follows({left, top, columns, rows});
    return double(found) / places; // a box of the picture's size has one place
  }

  cell_grid::Grid grid_;
  std::vector<std::uint8_t> now_; // cells of groups in this frame
  std::vector<int> sums_;         // of such cells in the frame before, above and to the left of a corner
  std::vector<Chance> chances_;   // of the sizes that this frame asked for
};

} // namespace vigil::ghost
