// SPDX-License-Identifier: LGPL-2.1-or-later
// A few thousand numbers that say what a picture shows: the luma of a coarse grid, and the finest detail at
// its points. Host memory.
//
// For each cell of the grid (spots.h)
//   mean            sum / number of samples
//   across, down    the spot's
//   energy          across^2 + down^2, which noise adds to
//   lasting         across * across + down * down, each with that of the sketch before: noise, which is
//                   another one then, leaves its mean alone
// All are in grey levels.
#pragma once

#include "kernels/tamper/spots.h"

#include <span>
#include <vector>

namespace vigil::tamper {

struct Sketch {
  Layout layout;
  std::vector<float> mean, across, down, energy, lasting; // row by row
};
// From layout.cells() spots. `before` is the sketch of the picture before; where it is of another layout,
// lasting is energy. `out` keeps its memory from call to call.
void sketch(const Layout &, std::span<const Spot>, const Sketch &before, Sketch &out);
// Each of known's numbers moves by `share` (0..1) of its distance to the frame's.
void blend(Sketch &known, const Sketch &frame, float share);

} // namespace vigil::tamper
