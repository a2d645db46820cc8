// SPDX-License-Identifier: LGPL-2.1-or-later
// Zones, lines and masks as text: points in coordinates of the picture, x from 0 (left) to 1, y from 0 (top)
// to 1. Their geometry is that of boxrules, kernels/rules/geometry.h.
#pragma once

#include "kernels/rules/geometry.h"

#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

using rules::Point;
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Rect &) const = default;
};

constexpr std::size_t max_corners = 64;

// "x1,y1,x2,y2,..." to points. Throws Error::bad_setting with what was found: no number, an odd count, a
// value outside of 0..1.
std::vector<Point> parse_points(std::string_view text);
std::string points_text(const std::vector<Point> &);

// Throw Error::bad_setting unless the points are a polygon of 3 to 64 corners with an area whose edges do not
// cross, or a line of two different points.
void check_polygon(const std::vector<Point> &);
void check_line(const std::vector<Point> &);

// The polygon with its sides on the picture's lower border moved past it. The feet of somebody whom that
// border cuts off are on the border, where an even-odd rule may say either.
std::vector<Point> past_lower_border(const std::vector<Point> &polygon);

} // namespace vigil::monitor
