// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/projection.h"

#include <cmath>

namespace vigil::rules {

Projection::Projection(Anchor anchor, const std::optional<Ground> &ground) : anchor_(anchor) {
  has_ground_ = ground && ground_.from(ground->picture, ground->metres);
}

Point Projection::anchor(const track::Box &b) const {
  return {b.x + b.width / 2, b.y + (anchor_ == Anchor::bottom ? b.height : b.height / 2)};
}

double Projection::speed(Point at, double vx, double vy) const {
  if (!has_ground_) return std::hypot(vx, vy);
  constexpr double dt = 0.05; // s, short against any curve of the ground's perspective
  const double v = distance(ground_.ground(at), ground_.ground({at.x + vx * dt, at.y + vy * dt})) / dt;
  return std::isfinite(v) ? v : 0;
}

} // namespace vigil::rules
