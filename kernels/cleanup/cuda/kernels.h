// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of the CUDA backend, submitted to a stream of the current context.
#pragma once

#include "common/plane.h"

#include <cstdint>

struct CUstream_st;

namespace vigil::cleanup {

// SmallObjects (cleanup.h) and the sets S as bits. `now` null: none. `kept` null: none is kept.
struct SmallSets {
  std::uint32_t *now = nullptr;
  const std::uint32_t *one_before = nullptr, *two_before = nullptr;
  const std::uint8_t *allowed = nullptr;
  std::uint8_t *seen = nullptr;
  std::uint32_t *kept = nullptr;
  int cell_size = 0, columns = 0, cells = 0;
};

// F as one bit a pixel: pixel x of row y is bit x % 32 of bits[y * words + x / 32], words = row_words(width).
// Bits that are no pixels are 0.
void launch_pack(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> watch, int median_radius,
                 std::uint32_t *bits, const SmallSets &, CUstream_st *);
void launch_morphology(const std::uint32_t *bits, int open, int close, const SmallSets &,
                       Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, CUstream_st *);
void launch_restore(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const std::uint32_t *kept,
                    CUstream_st *);

} // namespace vigil::cleanup
