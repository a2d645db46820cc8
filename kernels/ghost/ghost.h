// SPDX-License-Identifier: LGPL-2.1-or-later
// Is what stands still in a mask an object, or the ground that one left (a ghost)? The outline tells: an
// object has edges there in the frame, a ghost has them in the background picture. The contract that every
// backend keeps.
//
// F are the mask's pixels of value 255. The outline is the pixels of F that have one of their four neighbours
// inside the picture and not in F. The strength of the edges of a picture I at p = (x, y):
//   e(p) = |L(x + reach, y) - L(x - reach, y)| + |L(x, y + reach) - L(x, y - reach)|
// L: luma (plane 0, or mog::luma of the colours); coordinates outside the picture count as its nearest pixel.
// The reach forgives an outline that clean-up moved by a pixel or two. For each cell of activity's grid: the
// number of pixels of F, of outline pixels and the sums of e over them in the frame and in the background.
// All are integers, so backends give the same bytes.
//
// (After Cucchiara et al. 2003, "Detecting moving objects, ghosts, and shadows in video streams", who compare
// gradients.)
#pragma once

#include "common/plane.h"
#include "kernels/cell_grid/cell_grid.h"

#include <cstdint>

namespace vigil::ghost {

inline constexpr int reach = 2; // pixels

struct Cell {
  std::uint32_t pixels = 0, outline = 0, frame = 0, background = 0;
  bool operator==(const Cell &) const = default;
};
constexpr Cell &operator+=(Cell &a, const Cell &b) {
  a.pixels += b.pixels;
  a.outline += b.outline;
  a.frame += b.frame;
  a.background += b.background;
  return a;
}

enum class Verdict : std::uint8_t { undecided, object, ghost };
// What the outline of one blob says. `least_pixels`: an outline shorter than this says nothing; `least_edge`:
// nor one along which both pictures are flat (grey levels a pixel); one picture's edges must be `times` as
// strong as the other's.
inline constexpr std::uint32_t least_pixels = 12;
inline constexpr double least_edge = 8, clearly = 1.3;
Verdict decide(const Cell &, double times = clearly);

} // namespace vigil::ghost
