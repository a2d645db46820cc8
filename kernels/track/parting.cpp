// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/parting.h"

#include <algorithm>
#include <cmath>

namespace vigil::track {
namespace {

constexpr double grown = 1.5;   // of the object's area: two parts that span more are two objects
constexpr double whole = 0.75;  // of a predicted box by the one found, to show all of an object
constexpr double certain = 0.3; // s for which parts must lie diagonally
constexpr double doubt = 0.25;  // share of the time in which they do not that is taken off
constexpr double away = 0.25;   // of the larger part's size: by so much two objects move away from each other

} // namespace

bool Parting::update(const PartPair &parts, const Motion &motion, const Box &measured, bool seen, double dt) {
  if (parts.found && !apart_) {
    x_ = motion.x.p;
    y_ = motion.y.p;
    area_ = area(motion.predicted());
    gap_x_ = parts.gap_x;
    gap_y_ = parts.gap_y;
    width_ = measured.width;
    height_ = measured.height;
  }
  if (parts.found)
    apart_ = true;
  else if (seen && area(measured) > whole * area(motion.predicted()))
    apart_ = false;
  if (parts.diagonal)
    diagonal_for_ += dt;
  else if (seen)
    diagonal_for_ = std::max(0., diagonal_for_ - doubt * dt);
  if (!parts.found) return false;
  const bool moved = std::hypot(motion.x.p - x_, motion.y.p - y_) > parts.size;
  const double far = away * parts.size;
  const bool leave = (parts.gap_x - gap_x_ > far && measured.width - width_ > far) ||
                     (parts.gap_y - gap_y_ > far && measured.height - height_ > far);
  return moved || leave || diagonal_for_ >= certain || area(measured) > grown * area_;
}

void Parting::reset() {
  apart_ = false;
  diagonal_for_ = 0;
}

} // namespace vigil::track
