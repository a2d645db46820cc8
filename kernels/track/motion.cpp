// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/motion.h"

#include <algorithm>
#include <cmath>

namespace vigil::track {
namespace {

constexpr double size_memory = 0.5; // s; a change of size dies away with this time

} // namespace

Motion Motion::of_new(const Box &b, const Params &params) {
  Motion m;
  m.replace(b);
  const double s = m.size(), edge = params.jitter * s, speed = params.max_speed * s;
  m.x.pp = m.y.pp = edge * edge;
  m.width.pp = m.height.pp = 4 * edge * edge;
  m.x.vv = m.y.vv = speed * speed;
  m.width.vv = m.height.vv = s * s / 4;
  return m;
}

void Motion::replace(const Box &b) {
  x.p = b.x + b.width / 2;
  y.p = b.y + b.height / 2;
  width.p = b.width;
  height.p = b.height;
  width.v = height.v = 0;
}

void Motion::predict(double dt, double agility) {
  const double s = size(), q = agility * s * agility * s;
  const double slower = std::exp(-dt / size_memory);
  width.v *= slower;
  height.v *= slower;
  x.predict(dt, q);
  y.predict(dt, q);
  width.predict(dt, q / 16);
  height.predict(dt, q / 16);
  hold_border(x, width, cut_x, dt);
  hold_border(y, height, cut_y, dt);
  width.p = std::max(width.p, 1.);
  height.p = std::max(height.p, 1.);
}

double Motion::size() const {
  return std::sqrt(std::max(width.p, 1.) * std::max(height.p, 1.));
}

Box Motion::predicted() const {
  const double w = std::max(width.p, 1.), h = std::max(height.p, 1.);
  return {x.p - w / 2, y.p - h / 2, w, h};
}

} // namespace vigil::track
