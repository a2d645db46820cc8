// SPDX-License-Identifier: LGPL-2.1-or-later
// One box that a detector found, with the properties of the pixels in it.
#pragma once

#include "kernels/track/box.h"

#include <array>
#include <cstdint>

namespace vigil::track {

// Central second moments of an object's pixels about their centroid, px^2.
struct Spread {
  double xx = 0, yy = 0; // across and down; 0: not known
};

struct Detection {
  Box box;
  Spread spread;
  bool has_colour = false;
  std::array<float, 3> colour{}; // mean of the object's pixels, 0..255 each
  std::uint32_t label = 0;       // the class; boxes and tracks of different labels never belong together
};

} // namespace vigil::track
