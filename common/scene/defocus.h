// SPDX-License-Identifier: LGPL-2.1-or-later
// A lens out of focus: each colour becomes the mean of a square around it, cut off at the picture's border.
#pragma once

#include "common/scene/pixels.h"

#include <vector>

namespace vigil::scene {

class Defocus {
 public:
  // Each pixel gets the mean of the (2 radius + 1)^2 pixels around it.
  Defocus(int width, int height, int radius);
  // A row of the sharp picture, to be written before any row of the other is read. Rows by any thread.
  ColourRow sharp(int y);
  void row(int y, const ColourRow &out) const;

 private:
  int width_, height_, radius_;
  std::vector<float> planes_[3];
};

} // namespace vigil::scene
