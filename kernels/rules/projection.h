// SPDX-License-Identifier: LGPL-2.1-or-later
// From the picture to the ground: the point of a box where its object is, and its speed there.
#pragma once

#include "kernels/rules/rules.h"
#include "kernels/track/box.h"

#include <optional>

namespace vigil::rules {

class Projection {
 public:
  Projection() = default;
  // Without a ground, and with one whose points have no homography, speeds are those in the picture.
  Projection(Anchor, const std::optional<Ground> &);
  Point anchor(const track::Box &) const;
  // Of an object at a point of the picture with this velocity (px/s): metres or pixels a second.
  double speed(Point, double vx, double vy) const;

 private:
  Anchor anchor_ = Anchor::bottom;
  Homography ground_;
  bool has_ground_ = false;
};

} // namespace vigil::rules
