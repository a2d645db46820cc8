// SPDX-License-Identifier: LGPL-2.1-or-later
// By how many pixels is a frame shifted against the picture of its background? A camera on a pole that sways
// shows the same scene at another place in each frame; the model of the background is to be addressed through
// this shift (mog.h, Step::shift). The contract of the reference and the CPU backend; there is none for CUDA.
//
// Points. The picture of the background is cut into tile_columns x tile_rows tiles. With L the luma of
// ghost.h and r = reach_of(longest side), in each tile the place with the greatest |L(x + r, y) - L(x - r,
// y)| becomes a point, and likewise the one with the greatest |L(x, y + r) - L(x, y - r)|: among every
// step-th pixel of every step-th row, step = max(1, a sixth of the tile's shorter side), the first of equals,
// and only where the difference b is at least least_edge. Luma beyond the border is that of the border.
//
// Score. f(s) is the same difference in the frame at the point moved by s. The point agrees by
//   min(|f|, |b|) / max(|f|, |b|) where f and b have the same sign, else 0
// so a change of exposure takes little of it, and what moves in front of a point takes that point alone. The
// score of s is the mean over the points whose samples all lie in the frame; it counts where these are at
// least half of all.
//
// Answer. The shift of at most range_of(longest side) pixels in x and in y with the greatest score, if that
// is at least least_score and at least `margin` more than the score of no shift; else no shift, as where
// there are fewer than least_points points. Whole pixels: the model is addressed, not resampled.
//
// The reference tries all shifts. The CPU backend looks at no shift first: where it scores at_once, or
// `still` and none of its neighbours is better by `margin`, that is the answer. Else it climbs from there and
// from the last shift, each to the next peak of the score, and, where none of these reaches `still`, also
// from what a pyramid of coarse pictures says, and takes the highest. It may miss the reference's answer
// where scores are nearly equal or the scene repeats itself.
#pragma once

#include "common/plane.h"
#include "common/shift.h"

#include <algorithm>
#include <memory>

namespace vigil::registration {

inline constexpr int tile_columns = 24, tile_rows = 16;
inline constexpr int least_edge = 12; // grey levels
inline constexpr int least_points = 48;
inline constexpr double least_score = 0.4, at_once = 0.8, still = 0.5, margin = 0.06;

constexpr int reach_of(int longest_side) {
  return std::max(1, longest_side / 640);
}
// A pole's sway of 30 pixels at 320 wide.
constexpr int range_of(int longest_side) {
  return longest_side / 10;
}

struct Found {
  Shift shift;
  int points = 0;                // of the background
  double score = 0, at_rest = 0; // of the shift, and of none
};

class Registration {
 public:
  virtual ~Registration() = default;
  // The background from now on; 8 bits a sample. It must stay as it is until the next call.
  virtual void know(const ConstImage &background) = 0;
  // A frame of the background's size and format. Throws Error::bad_setting for another one.
  virtual Found find(const ConstImage &frame) = 0;
  // The last shift was none.
  virtual void forget() = 0;
};
std::unique_ptr<Registration> make_reference();
std::unique_ptr<Registration> make_cpu();

} // namespace vigil::registration
