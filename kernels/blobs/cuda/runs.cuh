// SPDX-License-Identifier: LGPL-2.1-or-later
// For the kernels: runs in a word, trees of parents, and sums over the lanes of a warp that have the same
// component.
#pragma once

#include "common/cuda/warp.h"
#include "kernels/blobs/cuda/kernels.h"

namespace vigil::blobs {

inline constexpr int lanes = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;
inline constexpr std::uint32_t no_slot = ~0u;

// The first run of a word that is not 0: pixels first .. end-1.
struct Run {
  int first, end;
  std::uint32_t bits;
};
__device__ inline Run first_run(std::uint32_t word) {
  const int first = __ffs(int(word)) - 1;
  const std::uint32_t gap = ~word & (all_lanes << first); // what is not foreground behind its begin
  const int end = gap ? __ffs(int(gap)) - 1 : 32;
  const std::uint32_t below_end = end == 32 ? ~0u : (1u << end) - 1;
  return {first, end, below_end & (all_lanes << first)};
}
// The first pixel of the run that holds pixel `bit` of a word.
__device__ inline int start_of(std::uint32_t word, int bit) {
  const std::uint32_t gap = ~word & ((1u << bit) - 1);
  return gap ? 32 - __clz(int(gap)) : 0;
}

// Trees whose parents are never greater than their children. Other threads may unite at the same time: what
// is read may be old, but is an ancestor still, and only the exchange at a root counts.
__device__ inline std::uint32_t root_of(const volatile std::uint32_t *parent, std::uint32_t at) {
  for (std::uint32_t up = parent[at]; up != at; up = parent[at]) at = up;
  return at;
}
__device__ inline void unite(std::uint32_t *parent, std::uint32_t a, std::uint32_t b) {
  for (;;) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a == b) return;
    if (a < b) {
      const std::uint32_t t = a;
      a = b;
      b = t;
    }
    const std::uint32_t before = atomicMin(parent + a, b);
    if (before == a) return; // it was a root
    a = before;              // it had become a child: its other parent must join as well
  }
}

__device__ inline bool leads(unsigned group) {
  return int(threadIdx.x) % lanes == __ffs(int(group)) - 1;
}

// A warp takes a strip: one word of 32 rows, a row for each lane.
struct Strip {
  int word, row;      // the lane's
  std::uint32_t bits; // 0 below the picture
  std::uint32_t base; // number of a run that begins at the word's first pixel
};
__device__ inline int strips_of(const Work &w) {
  return w.words * ((w.height + lanes - 1) / lanes);
}
__device__ inline Strip strip_at(const Work &w, int strip) {
  const int rows = (w.height + lanes - 1) / lanes;
  Strip s;
  s.word = strip / rows;
  s.row = strip % rows * lanes + int(threadIdx.x) % lanes;
  s.bits = s.row < w.height ? w.bits[s.word * w.height + s.row] : 0;
  s.base = std::uint32_t(s.row) * w.pitch() + std::uint32_t(s.word) * 16;
  return s;
}
// The first pixel of the run of this number.
__device__ inline std::uint32_t first_pixel(const Work &w, std::uint32_t number) {
  const int y = int(number / w.pitch()), pair = int(number % w.pitch());
  const std::uint32_t bits = w.bits[pair / 16 * w.height + y];
  const int left = pair % 16 * 2; // the run begins here or at the next pixel
  return std::uint32_t(y) * std::uint32_t(w.width) + std::uint32_t(2 * pair) + (~bits >> left & 1);
}

} // namespace vigil::blobs
