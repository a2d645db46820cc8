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
//
// Two sketches say whether they show the same scene, how sharp the newer one is, and by how much it is
// shifted.
//
// Compared are slopes, the differences of means of cells two apart, g = (across, down): a change of exposure
// multiplies them, so that what follows does not change with it. The grid is cut into blocks of
// max(5, columns / 8) cells; what is left over belongs to none. With f the frame's slopes and b those of the
// picture that is known:
//   textured   a block whose sum of |b|^2 is at least least_slope^2 a cell
//   agrees     a textured block with sum f.b >= least_agreement * sqrt(sum |f|^2 sum |b|^2)
//   agreement  the share of the textured blocks that agree
//   structure  sum |f|^2 / sum |b|^2 over the textured blocks
//   sharpness  over the blocks that agree, with d and e the finest details of frame and known picture: the
//              greater of
//                sum d.e / sum |e|^2, the part of the known detail that is still there; noise is none of it
//                sqrt((sum |d|^2 - noise) / sum known lasting), which stays where the detail moved by a
//                pixel; noise = sum (known energy - known lasting)
//              divided by contrast = sum f.b / sum |b|^2, since exposure changes both alike. Not known where
//              less than half of the known energy is lasting (noise, or things that move, make the most of
//              it), or where the lasting detail is below least_detail^2 a cell
#pragma once

#include "kernels/tamper/spots.h"

#include <optional>
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

inline constexpr float least_slope = 3.f; // grey levels
inline constexpr float least_agreement = 0.5f;
inline constexpr float least_detail = 2.f; // grey levels
inline constexpr int least_blocks = 6;     // textured ones, below which nothing can be said

struct Comparison {
  int textured = 0; // blocks
  float agreement = 1.f, structure = 1.f;
  std::optional<float> sharpness; // where enough agrees and has detail
  bool says_anything() const { return textured >= least_blocks; }
};
// Both of the same layout.
Comparison compare(const Sketch &frame, const Sketch &known);

// Where the known picture is to be moved to lie on the frame, in pixels, to a fraction of a cell.
struct ViewShift {
  float x, y;
};
// The shift of up to a third of the picture at which slopes agree best, by the correlation coefficient over
// what both show. None where that is below least_agreement.
std::optional<ViewShift> find_shift(const Sketch &frame, const Sketch &known);

} // namespace vigil::tamper
