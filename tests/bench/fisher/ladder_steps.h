// SPDX-License-Identifier: LGPL-2.1-or-later
// What ladder.cpp and ladder.cu say to each other.
#pragma once

#include "tests/bench/fisher/ladder.h"

#include <cuda_runtime_api.h>

namespace vigil::fisher::ladder {

inline constexpr int threads = 128; // dimensions, at most
inline constexpr int most_components = 1024;
inline constexpr int first_chunk = 4, second_chunk = 192;

struct FrameProcessor {
  int dimension, components, row; // `row`: floats a component in `copies`
  const float *means, *inverse;   // [components][dimension]
  const float *constant;          // [components]
  float *posteriors;              // [count][components]
  float *copies;                  // [block of the second phase][components][u, v][row]
};

void launch_posteriors(Rung, const FrameProcessor &, const float *x, int count, cudaStream_t);
void launch_sums(Rung, const FrameProcessor &, const float *x, int count, cudaStream_t);

} // namespace vigil::fisher::ladder
