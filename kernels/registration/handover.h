// SPDX-License-Identifier: LGPL-2.1-or-later
// Shifts that do not come back. A pole sways about the place where it stands; that place need not be the one
// of the model's first frame, so a mean of shifts that is not zero says nothing. Where the camera drifts or
// was pushed, shifts no longer return to the model's place, and the model is to follow: frames are compared
// up to `most` pixel away from the shift that was found, so that the model learns the scene there. When it
// has, the shift that is found is smaller by that much. A frame of which nothing is certain (something large
// passes) is compared through the mean of the shifts before, which fades.
//
// For each axis, turn and zoom: lowest = min(found, lowest + 1 / memory), highest = max(found, highest - 1 /
// memory); the part between none and the nearer of the two, at most `most`, is handed over. So one shift that
// comes back to the model's place is enough to keep the model there for the next memory / 2 frames.
#pragma once

#include "common/plane.h"
#include "common/shifted.h"
#include "kernels/registration/registration.h"

#include <cmath>

namespace vigil::registration {

class Handover {
 public:
  // The shift that a frame is to be compared through.
  VIGIL_HOST_DEVICE Shift step(const Match &f) {
    if (f.score < least_score) return {x_.uncertain(), y_.uncertain(), turn_.uncertain(), zoom_.uncertain()};
    return {x_.certain(f.shift.x), y_.certain(f.shift.y), turn_.certain(f.shift.turn),
            zoom_.certain(f.shift.zoom)};
  }
  VIGIL_HOST_DEVICE void forget() { x_ = y_ = turn_ = zoom_ = {}; }

 private:
  class Axis {
   public:
    VIGIL_HOST_DEVICE int certain(int found) {
      const double up = lowest_ + 1 / memory, down = highest_ - 1 / memory;
      lowest_ = up < found ? up : found;
      highest_ = down > found ? down : found;
      const double away = lowest_ > 0 ? lowest_ : highest_ < 0 ? highest_ : 0;
      const double ahead = away < -most ? -most : away > most ? most : away;
      const int shift = found - static_cast<int>(lround(ahead));
      mean_ += (shift - mean_) / recent;
      return shift;
    }
    VIGIL_HOST_DEVICE int uncertain() {
      mean_ -= mean_ / memory;
      return static_cast<int>(lround(mean_));
    }

   private:
    static constexpr double memory = 200, recent = 50, most = 1; // frames, frames, pixels
    double lowest_ = 0, highest_ = 0, mean_ = 0;                 // pixels
  };
  Axis x_, y_, turn_, zoom_;
};

} // namespace vigil::registration
