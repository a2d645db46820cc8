// SPDX-License-Identifier: LGPL-2.1-or-later
// The loops of the CPU extractor: rows of luma, of scaled pictures, of bin values, and descriptors. Compiled
// once for each instruction set, chosen at run time.
#pragma once

#include "common/plane.h"
#include "kernels/fisher/fisher.h"

#include <cstdint>
#include <vector>

namespace vigil::fisher::cpu {

// Rows of floats that can be read `margin` elements before and behind.
struct Rows {
  static constexpr int margin = 16;
  static int stride_for(int width) { return (width + 2 * margin + 15) / 16 * 16; }
  float *data = nullptr; // with the margin
  int width = 0, height = 0;
  std::size_t size() const { return std::size_t(stride_for(width)) * height; }
  float *row(int y) const { return data + std::ptrdiff_t{y} * stride_for(width) + margin; }
};

// Weights of a resize along one axis: element i is made of `taps` elements from first[i] on; weight[tap *
// count + i]. Elements past the end have weight 0, and are within the margin.
struct Resize {
  int taps = 0, count = 0;
  std::vector<std::int32_t> first;
  std::vector<float> weight;
};
Resize resize_for(int from, int to);

// Bin values are needed on a grid of `spacing` pixels, the greatest common divisor of step and bin size. A
// cell is 8 floats, one an orientation.
struct Grid {
  int bin_size = 0, spacing = 0;
  int columns = 0, rows = 0;
  float *cells = nullptr;
  std::size_t size() const { return std::size_t(columns) * rows * orientations; }
  float *row(int y) const { return cells + std::size_t(y) * columns * orientations; }
};

void luma_rows(const ConstImage &, const Rows &to, int first, int last);
// Rows first..last-1 of `to`. `scratch`: Rows::stride_for(from.width) floats.
void resize_rows(const Rows &from, const Resize &x, const Resize &y, const Rows &to, int first, int last,
                 float *scratch);
// Rows first..last-1 of the grid. `scratch`: grid_scratch(width, last - first) floats.
void grid_rows(const Rows &picture, const Grid &, int first, int last, float *scratch);
std::size_t grid_scratch(int width, int rows);

// The 128 weights of the flat window, in the order of a descriptor, and the sum at which contrast reaches its
// threshold.
struct Window {
  float weight[descriptor_length];
  float least_sum;
};
// `count` descriptors of one row of a scale, from column `first` on.
void describe_row(const Grid &, const SiftParams &, const Window &, int row, int first, int count,
                  float *out);

} // namespace vigil::fisher::cpu
