// SPDX-License-Identifier: LGPL-2.1-or-later
// From the picture to the ground: the point of a box where its object is, and its speed there.
#pragma once

#include "kernels/rules/rules.h"
#include "kernels/track/box.h"

#include <cmath>
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

inline Projection::Projection(Anchor anchor, const std::optional<Ground> &ground) : anchor_(anchor) {
  has_ground_ = ground && ground_.from(ground->picture, ground->metres);
}

inline Point Projection::anchor(const track::Box &b) const {
  return {b.x + b.width / 2, b.y + (anchor_ == Anchor::bottom ? b.height : b.height / 2)};
}

inline double Projection::speed(Point at, double vx, double vy) const {
  if (!has_ground_) return std::hypot(vx, vy);
  constexpr double dt = 0.05; // s, short against any curve of the ground's perspective
  const double v = distance(ground_.ground(at), ground_.ground({at.x + vx * dt, at.y + vy * dt})) / dt;
  return std::isfinite(v) ? v : 0;
}

} // namespace vigil::rules
