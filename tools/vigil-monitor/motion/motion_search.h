// SPDX-License-Identifier: LGPL-2.1-or-later
// When something moved in a region: seconds that follow each other become one hit. Knows no database.
#pragma once

#include "moving_cells.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace vigil::monitor {

struct MotionHit {
  double start = 0, end = 0; // seconds since 1970 UTC, whole ones
  double share = 0;          // the largest share of the region's cells that moved within a second
  // Where to the middle of what moved in the region went: degrees, clockwise from the picture's top (90: to
  // the right). Empty where it went less than a cell and a half.
  std::optional<double> direction;
};

class MotionSearch {
 public:
  static constexpr int pause = 3; // seconds without motion that end a hit

  MotionSearch(const std::vector<Point> &polygon, std::size_t limit);
  // The next second, a newer one before an older one. False when no more is needed.
  bool look(std::int64_t second, const MovingCells &);
  // The newest first. `more`: there were more than `limit`.
  struct Result {
    std::vector<MotionHit> hits;
    bool more = false;
  };
  Result end();

 private:
  struct Going { // the hit that goes on
    std::int64_t first = 0, last = 0;
    int most = 0; // cells in a second
    // For the line through the middles: sums over the seconds.
    double n = 0, t = 0, tt = 0, x = 0, tx = 0, y = 0, ty = 0;
  };
  void close();
  std::optional<double> direction() const;

  const MovingCells region_;
  const int cells_;
  const std::size_t limit_;
  std::optional<Going> going_;
  Result result_;
};

} // namespace vigil::monitor
