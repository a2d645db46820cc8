// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/box.h"

#include <algorithm>

namespace vigil::track {

double intersection(const Box &a, const Box &b) {
  const double w = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double h = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return w > 0 && h > 0 ? w * h : 0;
}

double iou(const Box &a, const Box &b) {
  const double both = intersection(a, b), all = a.width * a.height + b.width * b.height - both;
  return all > 0 ? both / all : 0;
}

double area(const Box &b) {
  return b.width * b.height;
}

Box hull(const Box &a, const Box &b) {
  const double x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y};
}

} // namespace vigil::track
