// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of the CUDA backend, submitted to a stream of the current context. Frames and backgrounds are
// rgba planes of one size, rows at multiples of 4 bytes. Labels and thresholds are packed, 32 pixels a word,
// row behind row of `words` words: bit i of word k of a row is pixel 32*k + i; a threshold's four binary
// digits are the four words of a uint4, the lowest first.
#pragma once

#include "kernels/colinearseg/segmenter.h"
#include "kernels/compose/layers.h"

#include <cuda_runtime_api.h>

namespace vigil::colinearseg::cuda {

using Rgba = Plane<const std::uint8_t>; // width and height in pixels

// The thresholds of the first iteration and of the others; into the same memory where both have the same
// compactness.
void launch_thresholds(Rgba frame, Rgba background, const Constants &, uint4 *first, uint4 *other,
                       cudaStream_t);

// Up to 8 iterations, each of four substeps. Reads the labels in `from`, writes those in `to`.
inline constexpr int iterations_at_once = 8;
struct Substeps {
  std::uint64_t positions = 0; // of the lattice, two bits each, the first one lowest
  int count = 0;
  int with_first = 0; // the first so many use the thresholds of the first iteration
};
void launch_iterations(const std::uint32_t *from, std::uint32_t *to, const uint4 *first, const uint4 *other,
                       int words, int rows, const Substeps &, cudaStream_t);

// ceil(D2) with no darkness offset at the grid's points, row by row.
void launch_samples(Rgba frame, Rgba background, const SampleGrid &, std::uint32_t *samples, cudaStream_t);

// The background's exact values (see State): three planes of `height` rows of `pitch` values, a multiple of
// 4.
struct Exact {
  std::uint32_t *values;
  int pitch;
};
constexpr int exact_pitch(int width) {
  return (width + 3) / 4 * 4;
}
// The frame is added to the sums; the background is the mean of the `learnt` frames so far.
void launch_learn(Rgba frame, const Exact &, int learnt, Plane<std::uint8_t> background, cudaStream_t);
// Unchanged pixels take on `rate` (in 1/32768) of the frame.
void launch_adapt(Rgba frame, const std::uint32_t *mask, int words, const Exact &, int rate,
                  Plane<std::uint8_t> background, cudaStream_t);
// The background's bytes become exact values, where adapting starts.
void launch_spread(Rgba background, const Exact &, cudaStream_t);

// `tint` is for Show::overlay.
void launch_picture(Show, Rgba frame, Rgba background, const std::uint32_t *mask, int words,
                    const compose::Blend &tint, Plane<std::uint8_t> out, cudaStream_t);
// A byte a pixel, 0 or 255, into rows of 32 * words bytes or more, at multiples of 16 bytes.
void launch_bytes(const std::uint32_t *mask, int words, Plane<std::uint8_t> out, cudaStream_t);

} // namespace vigil::colinearseg::cuda
