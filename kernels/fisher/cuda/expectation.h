// SPDX-License-Identifier: LGPL-2.1-or-later
// The expectation step on a GPU. Each block goes through three kernels: posteriors (posteriors.cu, in the
// difference form, so that nothing cancels), sums (sums.cu), and totals, which adds the parts of a block in
// double precision, in order, and then adds the block to what came before as integers.
#pragma once

#include "kernels/fisher/cuda/encode.h"
#include "kernels/fisher/expectation.h"

namespace vigil::fisher::cuda {

// units + parts 2^-40. Blocks of up to block_rows rows, of numbers up to 4096, have units below 2^39, so that
// 2^23 of them (10^11 rows) can be added.
struct Fixed {
  long long units, parts;
};
struct Totals {
  Fixed *sums; // [components][squares, values][dimension]
  Fixed *mass; // [components]
  Fixed *likelihood;
};

// `chunk.likelihoods` and `parts.mass` are there.
void launch_totals(const Mixture &, const Chunk &, const Parts &, const Totals &, cudaStream_t);

} // namespace vigil::fisher::cuda
