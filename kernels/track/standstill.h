// SPDX-License-Identifier: LGPL-2.1-or-later
// Since when an object has not moved by a quarter of its size.
#pragma once

#include "kernels/track/motion.h"

#include <cmath>

namespace vigil::track {

class Standstill {
 public:
  Standstill() = default;
  Standstill(const Motion &m, double seconds) : x_(m.x.p), y_(m.y.p), since_(seconds) {}
  void update(const Motion &m, double seconds) {
    constexpr double still = 0.25; // of its size
    if (std::hypot(m.x.p - x_, m.y.p - y_) > still * m.size()) *this = {m, seconds};
  }
  double since() const { return since_; } // seconds

 private:
  double x_ = 0, y_ = 0, since_ = 0;
};

} // namespace vigil::track
