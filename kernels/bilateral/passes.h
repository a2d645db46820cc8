// SPDX-License-Identifier: LGPL-2.1-or-later
// What the backends share: how each plane of a picture is filtered, and the numbers that their kernels take.
// Weights are powers of two there: exp(-d^2 / (2 sigma^2)) = exp2(-(k d)^2) with k = sqrt(log2(e) / 2) /
// sigma.
#pragma once

#include "kernels/bilateral/grid.h"

#include <array>

namespace vigil::bilateral {

enum class Mode {
  one = 1,       // one channel
  intensity = 2, // four bytes a pixel, one weight
  channels = 3,  // four bytes a pixel, a weight for each of three channels
};

// One plane, or one channel of a plane, to be filtered.
struct Task {
  PixelFormat format = PixelFormat::gray8;
  Mode mode = Mode::one;
  int step = 1; // samples from pixel to pixel
  bool has_guide = false;
  Window window;
};

// How a plane is filtered: `channels` tasks that begin one sample after the other.
struct PlanePlan {
  bool copied = false;     // it is not filtered
  bool copy_first = false; // channels are written one by one over a copy, for the fourth byte
  bool grid = false;       // by the approximation
  int channels = 1;
  Task task;
};
PlanePlan plan_plane(const Config &, const Params &, int plane, bool has_guide);
// Bytes of a sample.
inline int sample_bytes(PixelFormat f) {
  return is_16_bit(f) ? 2 : 1;
}

// From a difference of levels to k times it; [3] leads back. In mode intensity one factor for each channel,
// in memory's order.
using Scale = std::array<float, 4>;
Scale scale_for(const Task &, double range_sigma);
// With a table of range weights differences are whole numbers, so that its index is exact: index = |d| *
// bins[0] + bins[1].
Scale quantized_scale(const Task &);
std::array<float, 2> bins_for(const Task &);
std::array<float, 16> table_for(double range_sigma);
// The exponent that a neighbour's distance adds, a squared pixel.
float spatial_factor(const Window &);
// Of a difference of full scale, for the grid.
double grid_scale(const GridPlan &);

// The plans that were used last, luma's and chroma's: they take longer to make than to use.
class GridPlans {
 public:
  const GridPlan &plan_for(const Window &, int width, int height);

 private:
  struct Planned {
    Window window;
    int width = 0, height = 0;
    GridPlan plan;
  };
  Planned planned_[2];
};

} // namespace vigil::bilateral
