// SPDX-License-Identifier: LGPL-2.1-or-later
// Shifts that do not come back. A pole sways about the place where it stands, so the mean of its shifts is
// near none. Where it is another one the camera drifts, and the model is to follow: frames are compared up to
// `most` pixel beside the shift that was found, so that the model learns the scene there. When it has, the
// shift that is found is smaller by that much. A frame of which nothing is certain (something large passes)
// is compared through the mean of the shifts before, which fades.
#pragma once

#include "common/plane.h"
#include "common/shift.h"
#include "kernels/registration/registration.h"

#include <cmath>

namespace vigil::registration {

class Handover {
 public:
  // The shift that a frame is to be compared through.
  VIGIL_HOST_DEVICE Shift step(const Found &f) {
    if (f.score < least_score) return {x_.uncertain(), y_.uncertain()};
    return {x_.certain(f.shift.x), y_.certain(f.shift.y)};
  }
  VIGIL_HOST_DEVICE void forget() { x_ = y_ = {}; }

 private:
  class Axis {
   public:
    VIGIL_HOST_DEVICE int certain(int found) {
      const double next = ahead_ + (found - ahead_) / memory;
      ahead_ = next < -most ? -most : next > most ? most : next;
      const int shift = found - static_cast<int>(lround(ahead_));
      mean_ += (shift - mean_) / recent;
      return shift;
    }
    VIGIL_HOST_DEVICE int uncertain() {
      mean_ -= mean_ / memory;
      return static_cast<int>(lround(mean_));
    }

   private:
    static constexpr double memory = 200, recent = 50, most = 1; // frames, frames, pixels
    double ahead_ = 0, mean_ = 0;                                // pixels
  };
  Axis x_, y_;
};

} // namespace vigil::registration
