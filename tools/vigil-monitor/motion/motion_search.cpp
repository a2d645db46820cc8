// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motion_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace vigil::monitor {

MotionSearch::MotionSearch(const std::vector<Point> &polygon, std::size_t limit)
    : region_(cells_of(polygon)), cells_(region_.count()), limit_(limit) {}

bool MotionSearch::look(std::int64_t second, const MovingCells &all) {
  const MovingCells moved = all & region_;
  if (!moved.any()) return true; // most seconds: counting cells takes longer
  const int n = moved.count();
  if (going_ && going_->first - second > pause) close();
  if (result_.more) return false;
  if (!going_) {
    going_ = Going{};
    going_->last = second;
  }
  Going &g = *going_;
  g.first = second;
  g.most = std::max(g.most, n);
  double x = 0, y = 0; // of all cells together
  for (std::size_t r = 0; r < moved.row.size(); r++) {
    y += static_cast<double>(r) * std::popcount(moved.row[r]);
    for (std::uint32_t left = moved.row[r]; left; left &= left - 1) x += std::countr_zero(left);
  }
  x /= n;
  y /= n;
  const auto t = static_cast<double>(second - g.last);
  g.n++;
  g.t += t;
  g.tt += t * t;
  g.x += x;
  g.tx += t * x;
  g.y += y;
  g.ty += t * y;
  return true;
}

std::optional<double> MotionSearch::direction() const {
  const Going &g = *going_;
  const double spread = g.n * g.tt - g.t * g.t;
  if (spread <= 0) return std::nullopt;
  constexpr double least = 1.5; // cells
  const auto lasted = static_cast<double>(g.last - g.first);
  const double dx = (g.n * g.tx - g.t * g.x) / spread * lasted;
  const double dy = (g.n * g.ty - g.t * g.y) / spread * lasted;
  if (std::hypot(dx, dy) < least) return std::nullopt;
  constexpr double whole = 360;
  const double degrees = std::round(std::atan2(dx, -dy) * whole / 2 / std::numbers::pi);
  return degrees < 0 ? degrees + whole : degrees;
}

void MotionSearch::close() {
  if (result_.hits.size() == limit_) {
    result_.more = true;
  } else {
    result_.hits.push_back({static_cast<double>(going_->first), static_cast<double>(going_->last + 1),
                            static_cast<double>(going_->most) / cells_, direction()});
  }
  going_.reset();
}

MotionSearch::Result MotionSearch::end() {
  if (going_) close();
  return std::move(result_);
}

} // namespace vigil::monitor
