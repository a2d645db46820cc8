// SPDX-License-Identifier: LGPL-2.1-or-later
// A box in a picture, in pixels: x to the right, y down.
#pragma once

namespace vigil::track {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Box &) const = default;
};
double intersection(const Box &, const Box &); // px^2
double iou(const Box &, const Box &);          // intersection over union, 0..1
double area(const Box &);                      // px^2
Box hull(const Box &, const Box &);

} // namespace vigil::track
