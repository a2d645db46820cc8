// SPDX-License-Identifier: LGPL-2.1-or-later
// A few thousand numbers that say what a picture shows: the luma of a coarse grid, and the finest detail at
// its points. Host memory.
//
// The picture is cut into square cells of c = max(4, ceil(longest side / 80)) pixels; what is left over at
// the right and at the bottom is not looked at. A cell holds
//   mean            of luma over every max(1, c / 4)-th pixel of every max(1, c / 4)-th row
//   across, down    luma(x + r, y) - luma(x - r, y) and luma(x, y + r) - luma(x, y - r) at its middle pixel,
//                   with r = max(1, c / 12) pixels
//   energy          across^2 + down^2, which noise adds to
//   lasting         across * across + down * down, each with that of the sketch before: noise, which is
//                   another one then, leaves its mean alone
// Luma is the first plane's, or (77 R + 150 G + 29 B + 128) >> 8; all are in grey levels.
#pragma once

#include "common/plane.h"

#include <vector>

namespace vigil::view {

inline constexpr int most_cells = 80; // along the longest side
inline constexpr int least_cell = 4;  // pixels

struct Layout {
  int width = 0, height = 0; // of the picture
  int cell = 0;              // pixels
  int columns = 0, rows = 0;
  int cells() const { return columns * rows; }
  bool operator==(const Layout &) const = default;
};
Layout layout_for(int width, int height);

struct Sketch {
  Layout layout;
  std::vector<float> mean, across, down, energy, lasting; // row by row
};
// 8 bits a sample. `before` is the sketch of the picture before; where it is of another layout, lasting is
// energy. `out` keeps its memory from call to call.
void sketch(const ConstImage &picture, const Sketch &before, Sketch &out);
// Each of known's numbers moves by `share` (0..1) of its distance to the frame's.
void blend(Sketch &known, const Sketch &frame, float share);

} // namespace vigil::view
