// SPDX-License-Identifier: LGPL-2.1-or-later
// What the class in backend.cpp and the kernels say to each other: where the state lies, a piece of work, and
// one table of functions for each kind of stored state.
//
// The state is cut into tiles of 128 neighbouring pixels of a row; the last tile of a row may stick out. In a
// tile a component's values of one kind lie side by side, one segment after another:
//   weights    [tile][component][pixel]
//   gaussians  [tile][component][pixel] means and variance, or what the engine makes of them
// Neighbouring threads touch neighbouring addresses, segments of components that no pixel uses are never
// touched, and the distance from one segment to the next is known at compile time. Weights lie apart from
// means and variances: every weight changes with every frame, but only the owner's mean and variance do.
#pragma once

#include "kernels/mog/mog.h"

#include <cuda_runtime_api.h>

namespace vigil::mog::cuda {

inline constexpr int max_group = 32; // frames
inline constexpr int tile = 128;     // pixels

struct Store {
  std::uint8_t *active = nullptr; // zivkovic: [tile][pixel] components in use
  void *weights = nullptr;
  void *gaussians = nullptr;
  int tiles_a_row = 0;
};

// Frames of one format.
struct Work {
  const Config &config;
  Store store;
  std::span<const Step> group; // 1..max_group
  Constants constants;
  RateMap rates;
  std::uint32_t first_frame = 0; // frames learnt before, for the dither of compact states
  // Blocks of pixels in reverse order. Frames in turn go through the state forwards and backwards, so that
  // each starts with what the last one left in the cache; the result does not depend on it.
  bool backwards = false;
};

// The arrays of a State, in the device's memory.
struct Canonical {
  std::uint8_t *active;
  float *weight, *variance, *mean;
};

struct Engine {
  std::size_t weight_bytes, gaussian_bytes; // of one component of one pixel
  void (*apply)(const Work &, cudaStream_t);
  void (*background)(const Config &, const Store &, const Image &, cudaStream_t);
  void (*save)(const Config &, const Store &, const Canonical &, cudaStream_t);
  void (*load)(const Config &, const Store &, const Canonical &, cudaStream_t);
};

extern const Engine mog_single, mog_double, mog_compact;
extern const Engine zivkovic_single_luma, zivkovic_single_colour, zivkovic_double_luma,
    zivkovic_double_colour, zivkovic_compact_luma, zivkovic_compact_colour;

} // namespace vigil::mog::cuda
