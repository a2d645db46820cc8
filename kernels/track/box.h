// SPDX-License-Identifier: LGPL-2.1-or-later
// A box in a picture, in pixels: x to the right, y down.
#pragma once

#include <algorithm>

namespace vigil::track {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Box &) const = default;
};
double intersection(const Box &, const Box &); // px^2
double iou(const Box &, const Box &);          // intersection over union, 0..1
double area(const Box &);                      // px^2
Box hull(const Box &, const Box &);

inline double intersection(const Box &a, const Box &b) {
  const double w = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double h = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return w > 0 && h > 0 ? w * h : 0;
}

inline double iou(const Box &a, const Box &b) {
  const double both = intersection(a, b), all = a.width * a.height + b.width * b.height - both;
  return all > 0 ? both / all : 0;
}

inline double area(const Box &b) {
  return b.width * b.height;
}

inline Box hull(const Box &a, const Box &b) {
  const double x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y};
}

} // namespace vigil::track
