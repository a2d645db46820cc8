// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps by which the paper (fisher.h) made its encoding fast, to be measured one after another:
// tests/bench. No element uses them.
//   none    a block for 4 descriptors: a thread for each dimension, distances added up in a tree, one
//           component after another; then a block for 192 descriptors adds to its own copy of the vector in
//           memory
//   tiled   4 descriptors times 2 components together in the first phase, 2 times 4 in the second
//   early   the second phase leaves a tile out when all its eight posteriors are below the limit
//   vector  the first phase in float4: four descriptors in a word
// The copies are put together as in the backend. The formulas are those of fisher.h.
#pragma once

#include "kernels/fisher/fisher.h"

namespace vigil::fisher {

enum class Rung { none, tiled, early, vector };

class Ladder {
 public:
  virtual ~Ladder() = default;
  // `x` is count x M: projected descriptors with their positions, in the device's memory.
  virtual void posteriors(const float *x, int count, Queue &) = 0;
  virtual void sums(const float *x, int count, Queue &) = 0;
  virtual void vector(int count, float *vector, Queue &) = 0; // normalised, as Encoder's
};

// For a mixture of up to 1024 components in up to 128 dimensions. Throws Error::bad_setting for a larger one.
std::unique_ptr<Ladder> make_ladder(Device &, const Codebook &, Rung, int capacity);

} // namespace vigil::fisher
