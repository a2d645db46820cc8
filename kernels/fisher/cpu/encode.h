// SPDX-License-Identifier: LGPL-2.1-or-later
// The loops of the CPU encoder, over blocks of descriptors. Compiled once for each instruction set, chosen at
// run time.
#pragma once

#include "kernels/fisher/fisher.h"

#include <cstdint>
#include <vector>

namespace vigil::fisher::cpu {

inline constexpr int block = 64; // descriptors; a bit each in a word

// A codebook as the loops read it. Rows are padded to whole vectors with zeros.
//
// Two things keep single precision exact enough where most of a picture is flat, that is, where most
// descriptors are zero and a component with tiny variances sits on them. x is the projection of the
// descriptor itself, and the means are moved (in double precision) by that of the mean descriptor: then a
// zero descriptor has x = 0, and mu keeps all its digits. And squared distances are sums of (x/sigma -
// mu/sigma)^2, which takes as many instructions as products with [x^2, x] do and has none of their
// cancellation. The square root at the end makes large errors of small ones near 0.
struct Tables {
  explicit Tables(const Codebook &);
  static constexpr int panel = 32; // components that are taken together; whole vectors of any instruction set
  int projected, dimension, components;
  int width;                     // of a row of x: dimension, padded
  int height;                    // components, padded to whole panels
  std::vector<float> projection; // 128 x width: transposed
  std::vector<float> panels;     // by panel, then by dimension: `panel` times 1/sigma, `panel` times mu/sigma
  std::vector<float>
      constant; // height: logarithm of the prior and of the Gaussian's factor; lowest for padding
  std::vector<float> scale, mean;        // components x width: 1/sigma, mu
  std::vector<float> u_factor, v_factor; // components: 1/sqrt(w), 1/sqrt(2 w); 0 for those left out
};

// What one thread works with.
struct Scratch {
  float *descriptors; // block x 128
  float *x;           // block x width
  float *q;           // block x height
  static std::size_t size(const Tables &t) {
    return std::size_t(block) * (descriptor_length + t.width + t.height);
  }
  Scratch(float *memory, const Tables &t)
      : descriptors(memory), x(descriptors + block * descriptor_length), q(x + std::size_t(block) * t.width) {
  }
};

// Sums over some blocks, by component: u and v, `width` each.
struct Sums {
  float *values;         // components x 2 x width
  std::uint8_t *touched; // components: 0 while there is nothing
  static std::size_t size(const Tables &t) { return std::size_t(2) * t.components * t.width; }
};

// Adds `count` <= block descriptors. `weights` may be null: each is 1.
void add_block(const Tables &, const float *descriptors, const float *positions, const float *weights,
               int count, const Scratch &, const Sums &);

// Component j of the vector from `parts` sums, after the square root and before the norm; returns its sum of
// squares.
double finish_component(const Tables &, const Sums *sums, int parts, int j, double count, float *vector);

double dot(const float *a, const float *b, int count);

} // namespace vigil::fisher::cpu
