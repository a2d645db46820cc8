// SPDX-License-Identifier: LGPL-2.1-or-later
// The approximation: a bilateral grid (Chen, Paris and Durand 2007) whose range axis is sampled instead of
// splatted, as in the piecewise-linear bilateral filter (Durand and Dorsey 2002, Yang, Tan and Ahuja 2009).
//
//   levels L(k) = k * level_step of the guide; for each the weighted picture w v and the weights w = G(I -
//   L(k); r') are averaged over squares of `spacing` pixels, blurred by a separable kernel, read with
//   bilinear interpolation in x and y and linear interpolation in I, and divided.
//
// Interpolating between levels widens the range kernel by a variance of level_step^2 / 6 on average; r'^2 =
// r^2 - level_step^2 / 6 makes up for it. The taps are the least-squares fit, over all positions of a pixel
// in its cell, of average + blur + interpolation to the Gaussian cut at `radius`, so the window is that of
// the exact filter.
//
// With spacing <= 0.6 sigma and level_step <= r the result is within PSNR 40 dB of the exact one on natural
// pictures (README has the table). It serves range sigmas from 1/62 on; below the exact filter takes over.
#pragma once

#include "kernels/bilateral/bilateral.h"

#include <array>

namespace vigil::bilateral {

inline constexpr int max_taps = 15; // on each side of the middle one
inline constexpr int max_levels = 64;

struct GridPlan {
  int spacing = 1;
  int taps = 0; // on each side
  std::array<float, max_taps + 1> tap{};
  int levels = 2;
  double level_step = 1;  // of full scale 1
  double range_sigma = 1; // r'
  int border = 1; // cells outside the picture, so that every cell that is looked at has all its neighbours
  int columns = 0, rows = 0;
};
bool grid_can(const Window &); // the window has a plan
GridPlan plan_grid(const Window &, int width, int height);
// Whether Algorithm::automatic takes the grid, by what was measured (docs/measurements/index.md).
bool uses_grid(const Params &, bool chroma_plane = false);

} // namespace vigil::bilateral
