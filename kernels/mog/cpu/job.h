// SPDX-License-Identifier: LGPL-2.1-or-later
// What the class in backend.cpp and the vector loops say to each other: the state's layout and a piece of
// work.
//
// The state is cut into blocks of 64 neighbouring pixels of a row; the last block of a row may stick out. A
// component's values lie together, block after block, so that components that no pixel uses are never
// touched:
//   weight(k, b)   64 weights of component k in block b
//   gaussian(k, b) 64 variances, then 64 means a channel
// Weights lie apart from the rest: every component's weight changes with every frame, but only its owner's
// mean and variance do.
#pragma once

#include "kernels/mog/mog.h"

namespace vigil::mog::cpu {

inline constexpr int block_pixels = 64;

// Addresses in the state; `Stored` is float, double or uint16_t.
struct Layout {
  int blocks_a_row = 0;
  std::size_t blocks = 0;
  int channels = 1;
  // Values from one component's part to the next one's. The odd rests keep the parts from falling on the same
  // lines of the first cache.
  std::size_t weight_step = 0, gaussian_step = 0;

  Layout() = default;
  explicit Layout(const Config &c)
      : blocks_a_row((c.width + block_pixels - 1) / block_pixels),
        blocks(std::size_t(blocks_a_row) * c.height), channels(c.channels),
        weight_step((blocks + 3) * block_pixels),
        gaussian_step((blocks * (1 + channels) + 5) * block_pixels) {}
  std::size_t weight(int k, std::size_t b) const { return k * weight_step + b * block_pixels; }
  std::size_t gaussian(int k, std::size_t b) const {
    return k * gaussian_step + b * block_pixels * (1 + channels);
  }
};

struct Memory {
  Layout layout;
  // [block * 64 + pixel]: zivkovic: components in use; mog: one more than the last component in use.
  std::uint8_t *active = nullptr;
  void *weights = nullptr;
  void *gaussians = nullptr;
};

// A frame with what its format and the parameters make of it.
struct Frame {
  Step step;
  Shift shift; // *step.shift
  Constants constants;
  std::uint32_t number = 0; // counts the frames that the model has learnt, for the dither of compact states
  Plane<std::uint8_t> labels{}; // of the model's pixels, where the frame is turned
};

struct Job {
  Config config;
  Memory memory;
  std::span<const Frame> frames;
  RateMap rates;
};

// Rows [first, last) of all frames, block by block.
void apply_mog(const Job &, int first, int last);
void apply_zivkovic(const Job &, int first, int last);
// Rows [first, last) of the most probable background.
void draw_background(const Config &, const Memory &, const Image &out, int first, int last);

} // namespace vigil::mog::cpu
