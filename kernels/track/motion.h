// SPDX-License-Identifier: LGPL-2.1-or-later
// Place, size and velocity of a tracked object: one Kalman filter (kalman.h) for each of the centre's two
// coordinates, the width and the height.
//
// The spectral densities of the accelerations are (agility size)^2 for the centre and a sixteenth of that for
// width and height. A change of size dies away as exp(-t / 0.5 s). "Size" is sqrt(width height). Of an object
// that the picture's border cuts off, the visible part goes on ending at the border (border.h).
#pragma once

#include "kernels/track/border.h"
#include "kernels/track/box.h"
#include "kernels/track/kalman.h"
#include "kernels/track/params.h"

namespace vigil::track {

inline constexpr double surprise = 9; // chi squared, 2 degrees of freedom: one of a hundred is further off

struct Motion {
  Coordinate x, y, width, height; // px; x and y of the centre
  Cut cut_x = Cut::none, cut_y = Cut::none;

  // Of an object that is seen for the first time: the box, with the jitter of boxes and the speed of new
  // objects as its uncertainty.
  static Motion of_new(const Box &, const Params &);
  // The box is the object's from now on; its velocity and all uncertainties stay.
  void replace(const Box &);
  void predict(double dt, double agility);
  double size() const;
  Box predicted() const;
};

} // namespace vigil::track
