// SPDX-License-Identifier: LGPL-2.1-or-later
// Dense SIFT on a GPU: what the extractor in extractor.cpp and the kernels say to each other. All scales go
// through each step together, in one launch:
//   resize   frame -> pictures of all scales
//   rows     gradients, split between orientations and weighted along x, at the columns where bins have their
//            centres
//   columns  the same along y: the cells. A cell is one spatial bin with its 8 orientations before the flat
//            window's weight; with the defaults (step = bin size) neighbouring descriptors share them, so
//            that there is about one for each descriptor
//   describe (describe.cuh) 16 cells make a descriptor
#pragma once

#include "kernels/fisher/fisher.h"

#include <cuda_runtime_api.h>

namespace vigil::fisher::cuda {

inline constexpr int max_scales = 16;
static_assert(std::get<0>(params_table).max == max_scales);

// The centres of the cells along one axis. Either they are `unit` apart, or (unit 0, where that would be more
// of them) there are four for each descriptor.
struct Lattice {
  int unit, count;
  int step, bin; // from a descriptor to the next, from a bin to the next, in cells
};

// One axis of a resized picture: output i is the sum over t of weight[t * size + i] times input start[i] + t.
// Weights sum to 1 and are 0 outside.
struct Axis {
  const int *start;
  const float *weight;
  int taps, size, input;
};

struct Scale {
  int width, height, columns, rows, first; // as in ScaleLayout
  Axis axis[2];
  Lattice lattice[2];
  float *picture;
  float4 *rows_out, *cells; // [height][cells in x][2], [cells in y][cells in x][2]: 8 orientations
};

// A launch's blocks: those of scale s begin at first[s], `wide` in a row.
struct Blocks {
  unsigned first[max_scales + 1];
  unsigned wide[max_scales];
};
inline constexpr int block_width = 32, block_height = 8;

struct Pyramid {
  int count; // of scales
  int step, bin_size;
  float contrast_scale, contrast_threshold;
  float window[bins];      // G_k
  Scale scale[max_scales]; // their memory is that of the first picture
  // From one picture of a launch to the next, in elements of that memory.
  std::size_t picture_apart, rows_apart, cells_apart;
  Blocks resize, rows, columns;
};

void launch_resize(const Pyramid &, const Pictures &, cudaStream_t);
void launch_rows(const Pyramid &, int pictures, cudaStream_t);
void launch_columns(const Pyramid &, int pictures, cudaStream_t);
// Of the first picture: descriptors `first` to `first + count`, `descriptors` is that of the first.
void launch_describe(const Pyramid &, int first, int count, float *descriptors, cudaStream_t);

} // namespace vigil::fisher::cuda
