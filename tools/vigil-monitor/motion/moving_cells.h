// SPDX-License-Identifier: LGPL-2.1-or-later
// Which cells of a coarse grid over the picture moved.
#pragma once

#include "../config/geometry.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace vigil::monitor {

struct MovingCells {
  static constexpr int columns = 32, rows = 18;
  std::array<std::uint32_t, rows> row{}; // bit x of row[y]: the cell in column x and row y

  bool any() const;
  int count() const;
  // All cells that the rectangle (normalised) touches.
  void set(const Rect &);
  MovingCells &operator|=(const MovingCells &);
  friend MovingCells operator&(const MovingCells &, const MovingCells &);
  bool operator==(const MovingCells &) const = default;

  MovingCells grown() const; // with all neighbours of its cells, also across corners
  MovingCells without(const MovingCells &) const;
  // The cells that hang together with the first one, also across corners. Something must be there.
  MovingCells first_part() const;
  // The smallest rectangle of cells around all; width and height 0: there are none.
  struct Bounds {
    int x = 0, y = 0, width = 0, height = 0;
  };
  Bounds bounds() const;
};

// By the second since 1970 UTC.
using MovedSeconds = std::map<std::int64_t, MovingCells>;

// The cells that a polygon covers, wholly or in part; at least the one that its first corner lies in.
MovingCells cells_of(const std::vector<Point> &polygon);

} // namespace vigil::monitor
