// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether an object that is found in two large parts is one object, whose middle is hidden, or two objects
// that came as one box and part.
//
// What hides the middle of an object does not move. Two parts are two objects when one of these holds:
//   - the object was in two parts all the way while it moved by the size of its larger part;
//   - the parts have lain diagonally for 0.3 s, as cars of two lanes do. The time in which they do not counts
//     a quarter against that;
//   - the parts span 1.5 times the area that the object had whole;
//   - the parts move away from each other: the gap between them and their common extent have both grown by a
//     quarter of the larger part's size. Where the middle of one object fades, only the gap grows; where one
//     object comes nearer, only the extent.
// Source: this project.
#pragma once

#include "kernels/track/box.h"
#include "kernels/track/motion.h"

namespace vigil::track {

// The two large parts in one frame.
struct PartPair {
  bool found = false;    // there are two
  bool diagonal = false; // they lie diagonally
  double size = 0;       // of the larger one, px
  double gap_x = 0, gap_y = 0;
};

class Parting {
 public:
  // One frame, in which the object was seen (or not) as `measured`. True when its parts are two objects.
  bool update(const PartPair &, const Motion &, const Box &measured, bool seen, double dt);
  void reset();

 private:
  bool apart_ = false; // in two parts, since the frame of which the following are:
  double x_ = 0, y_ = 0, area_ = 0;
  double gap_x_ = 0, gap_y_ = 0, width_ = 0, height_ = 0;
  double diagonal_for_ = 0; // seconds
};

} // namespace vigil::track
