// SPDX-License-Identifier: LGPL-2.1-or-later
// Objects that the picture's border cuts off, one coordinate at a time: `low` is the end at 0, `high` that at
// the picture's width or height. Of such an object only the free edge moves as fast as it does: what is seen
// of it grows or shrinks by that, and the centre of what is seen moves by half.
#pragma once

#include "kernels/track/kalman.h"

#include <algorithm>
#include <cmath>

namespace vigil::track {

enum class Cut { none, low, high, both };

inline bool at_low(Cut c) {
  return c == Cut::low || c == Cut::both;
}
inline bool at_high(Cut c) {
  return c == Cut::high || c == Cut::both;
}
// Cut off, but with a free edge.
inline bool has_free_edge(Cut c) {
  return c == Cut::low || c == Cut::high;
}

// It comes in over the border.
inline bool grows(const Coordinate &c, Cut cut) {
  return (cut == Cut::low && c.v > 0) || (cut == Cut::high && c.v < 0);
}

// Of a box from `low` to `high` in a picture that ends at `border`; 0: not known.
inline Cut cut_of(double low, double high, double border) {
  constexpr double near = 1; // px
  if (border <= 0) return Cut::none;
  const bool at_low = std::abs(low) < near, at_high = std::abs(high - border) < near;
  return at_low && at_high ? Cut::both : at_low ? Cut::low : at_high ? Cut::high : Cut::none;
}

// After the centre was predicted over `dt`: what is seen goes on ending at the border.
inline void hold_border(Coordinate &centre, Coordinate &extent, Cut cut, double dt) {
  if (!has_free_edge(cut)) return;
  const double way = centre.v * dt;
  centre.p -= way / 2;
  extent.p += cut == Cut::low ? way : -way;
}

// The update by a box from `low` to `high` that has a free edge, which has the variance r.
inline void update_by_free_edge(Coordinate &centre, Coordinate &extent, Cut cut, double low, double high,
                                double r) {
  const double half = extent.p / 2;
  const double off = cut == Cut::low ? high - (centre.p + half) : low - (centre.p - half);
  centre.update(centre.p + off, r);
  centre.p = (low + high) / 2;
  extent.p = high - low;
  extent.v = 0;
}

// The nearest centre of something of this extent that lies in a box, or beyond the border that cuts the box
// off.
inline double inside(double centre, double extent, double low, double length, Cut cut) {
  const double room = std::max(0., (length - extent) / 2), middle = low + length / 2;
  if (!at_low(cut)) centre = std::max(centre, middle - room);
  if (!at_high(cut)) centre = std::min(centre, middle + room);
  return centre;
}

} // namespace vigil::track
