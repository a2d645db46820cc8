// SPDX-License-Identifier: LGPL-2.1-or-later
// Encoding on a GPU: what the encoder in encoder.cpp and the kernels say to each other.
//
// Descriptors go through in chunks of tiles of 64, so that memory does not grow with the frame. For each
// chunk:
//   project     descriptors -> x, by tensor cores where there are; from given descriptors, or from a
//               pyramid's cells
//   posteriors  by tensor cores where there are, up to 256 components: products of split halves
//               (posteriors_mma.cu); otherwise in the difference form, sum ((x - mu)/sigma)^2: two
//               multiply-adds an element, as many as the expanded product of [x^2, x] takes (posteriors.cu).
//               Log-sum-exp needs no memory. What is not below 1e-6 goes to memory, with a bit that says so
//   sums        runs through the set bits alone (a few of a hundred, as a rule), a warp for each component
// and at the end, over all chunks,
//   vector      adds the parts, scale and signed root, norm and scores
// x has its origin at the descriptor of zeros, x = P descriptor, and the mixture's means are moved there:
// flat areas, whose component has a variance next to nothing, are then exactly at 0, where P (descriptor -
// mean) in fp32 would be off by a good part of sigma, which the signed root makes larger still.
// Each sum has a fixed order: same input, same bits.
#pragma once

#include "kernels/fisher/cuda/sift.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace vigil::fisher::cuda {

inline constexpr int tile = 64;          // descriptors
inline constexpr int wide = 256;         // components that a warp looks at together
inline constexpr int group = 8;          // components of a block of `sums`
inline constexpr int mma_dimensions = 8; // x and x^2 of so many pass together
inline constexpr int mma_step_bytes = wide * 2 * mma_dimensions * 2 * 2;
inline constexpr int max_dimension = descriptor_length + 2;
inline const double binary = std::sqrt(0.5 / std::numbers::ln2); // e^(-z^2/2) = 2^-(binary z)^2

// Floats from one descriptor's x to the next: M, to a multiple of 4.
VIGIL_HOST_DEVICE constexpr int row_of_x(int dimension) {
  return (dimension + 3) / 4 * 4;
}
inline constexpr float projection_scale =
    256; // of descriptors, so that their lower halves are fair numbers too

struct Projection {
  const float *matrix; // [128][padded]; x is measured in powers of two (encoder.cpp)
  const void
      *fragments; // the same for tensor cores: [8 steps][blocks of 8 outputs][lane] of 2 high, 2 low words
  float position_unit;
  int projected, padded; // `padded`: to a multiple of 16
};

struct Mixture {
  int dimension, components;
  int padded; // components, to a multiple of `wide`
  int row;    // floats a component in `means` and `inverse`
  // For the posteriors, in units such that q = 2^(constant - sum (scale x + shift)^2) except for the
  // normalisation:
  const float *lines;    // [padded / wide][dimension][scale, shift][wide]
  const float *constant; // [padded]; that of a component that is left out is next to minus infinity
  // The same for tensor cores (posteriors_mma.cu): q = 2^(affine.x + affine.y * product), the mixture's rows
  // in the order in which a warp takes them: [step][16 rows][high, low][lane][4 registers] of two halves.
  // Null where they are not used.
  const void *fragments;
  const float2 *affine;                    // [wide]
  float least = float(smallest_posterior); // posteriors below count as 0, in posteriors.cu
  // For the sums:
  const float *means, *inverse; // [components][row]; inverse: 1 / sigma
  const float *root;            // [2][components]: 1 / sqrt(w), 1 / sqrt(2 w); 0 for one that is left out
};

// A chunk's memory. It holds a part of one picture's descriptors, or all of several pictures', each from a
// tile of its own on.
struct Chunk {
  float *x;             // [tile][64][row_of_x(M)]
  float *posteriors;    // [tile][padded][64]; valid where a bit is set
  std::uint64_t *masks; // [tile][padded]
  int first, count;     // descriptors of each picture
  float *likelihoods; // [tile][64]: log2 of the sum of likelihoods, by posteriors.cu alone; null: not wanted
  int pictures = 1;   // of more than one, `first` is 0
  const float *weights = nullptr; // [picture][all its descriptors]; null: each is 1
  VIGIL_HOST_DEVICE int tiles() const { return (count + tile - 1) / tile; } // of each picture
};

// Sums of parts of the descriptors: [picture][part][components][u, v][row].
struct Parts {
  float *sums;
  int count;             // of each picture
  float *mass = nullptr; // [part][components]: of the posteriors; null: not wanted
};
// Parts of a chunk that are added up apart: enough work for a large GPU, and not much to add up afterwards.
inline int parts_for(int tiles) {
  return std::clamp(tiles / 4, 1, 64);
}

struct Scores {
  const float *weights, *bias; // [classes][2 M N], [classes]
  float *partial;              // [classes][components]
  float *scores;               // null: none
  int classes;
};

void launch_project(const Projection &, const float *descriptors, const float *positions, const Chunk &,
                    cudaStream_t);
void launch_project(const Projection &, const Pyramid &, const float *positions, const Chunk &, cudaStream_t);
void launch_posteriors(const Mixture &, const Chunk &, cudaStream_t);
// `add`: to what is there.
void launch_sums(const Mixture &, const Chunk &, const Parts &, bool add, cudaStream_t);
// Of one picture after another; `norms` is [picture][components]. Scores are of one picture alone.
void launch_vector(const Mixture &, const Parts &, int descriptors, float *norms, float *vector,
                   const Scores &, cudaStream_t, int pictures = 1);
// Lets the kernels use the shared memory that they need for the mixture; once, in the context that they will
// run in.
void prepare_posteriors(const Mixture &);
void prepare_posteriors_mma();
// Whether the current device can, for this mixture; the other way is always possible.
bool mma_possible(const Mixture &);
void launch_posteriors_mma(const Mixture &, const Chunk &, cudaStream_t);

} // namespace vigil::fisher::cuda
