// SPDX-License-Identifier: LGPL-2.1-or-later
// For the kernels: lines, runs in a word of one, and trees of parents. `rows` is how many rows a line has: 2
// with eight neighbours, 1 with four.
#pragma once

#include "common/cuda/warp.h"
#include "kernels/blobs/cuda/kernels.h"

namespace vigil::blobs {

inline constexpr int lanes = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;
inline constexpr std::uint32_t no_slot = ~0u;
// Lanes of the same component add up first when there are so many of them. Groups do so one after the other,
// so that many small ones would take longer than their atomic operations.
inline constexpr int few = 4;

// A word of a line: its upper and lower row. They are the same where a line has one row.
struct Rows {
  std::uint32_t top, bottom;
  __device__ std::uint32_t any() const { return top | bottom; }
};

// Some columns of a word that lie side by side: first .. end-1.
struct Run {
  int first, end;
  std::uint32_t bits;
};
// The first run of a word that is not 0.
__device__ inline Run first_run(std::uint32_t word) {
  const int first = __ffs(int(word)) - 1;
  const std::uint32_t gap = ~word & (all_lanes << first); // what is not foreground behind its begin
  const int end = gap ? __ffs(int(gap)) - 1 : 32;
  const std::uint32_t below_end = end == 32 ? ~0u : (1u << end) - 1;
  return {first, end, below_end & (all_lanes << first)};
}
// The first column of the run that holds column `bit` of a word.
__device__ inline int start_of(std::uint32_t word, int bit) {
  const std::uint32_t gap = ~word & ((1u << bit) - 1);
  return gap ? 32 - __clz(int(gap)) : 0;
}
// A thread takes the runs that begin in one of four bytes of a word: four at most. A bit for each of them.
inline constexpr int parts = 4, most_runs = 4;
__device__ inline std::uint32_t begins_in(std::uint32_t word, int part) {
  return word & ~(word << 1) & (0xffu << (8 * part));
}
__device__ inline Run run_at(std::uint32_t word, int first) {
  return first_run(word & (all_lanes << first));
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

template <int rows>
__device__ inline int lines_of(const Work &w) {
  return (w.height + rows - 1) / rows;
}
// A word of a line of the picture.
template <int rows>
__device__ inline Rows rows_at(const Work &w, int word, int line) {
  const std::uint32_t *const at = w.bits + word * w.stride() + line * rows;
  if constexpr (rows == 2) {
    const uint2 v = *reinterpret_cast<const uint2 *>(at);
    return {v.x, v.y};
  } else {
    return {*at, *at};
  }
}

// A warp takes a strip: one word of 32 lines, a line for each lane, and of that the runs of one part.
struct Strip {
  int word, line;       // the lane's
  Rows bits;            // 0 below the picture
  std::uint32_t begins; // of the runs
  std::uint32_t base;   // number of a run that begins at the word's first column
};
template <int rows>
__device__ inline int strips_of(const Work &w) {
  return w.words * ((lines_of<rows>(w) + lanes - 1) / lanes) * parts;
}
template <int rows>
__device__ inline Strip strip_at(const Work &w, int strip) {
  const int lines = lines_of<rows>(w), down = (lines + lanes - 1) / lanes, place = strip / parts;
  Strip s;
  s.word = place / down;
  s.line = place % down * lanes + int(threadIdx.x) % lanes;
  s.bits = s.line < lines ? rows_at<rows>(w, s.word, s.line) : Rows{0, 0};
  s.begins = begins_in(s.bits.any(), strip % parts);
  s.base = std::uint32_t(s.line) * w.pitch() + std::uint32_t(s.word) * 16;
  return s;
}

// Calls work(i, run) for i = 0 .. most_runs-1 with the runs of a strip's part; those that do not exist have
// no bits. The loop is unrolled, so that `i` may index what lies in registers.
template <class Do>
__device__ inline void each_of_part(const Strip &s, Do work) {
  std::uint32_t left = s.begins;
#pragma unroll
  for (int i = 0; i < most_runs; i++) {
    Run r{};
    if (left) r = run_at(s.bits.any(), __ffs(int(left)) - 1);
    left &= left - 1;
    work(i, r);
  }
}

} // namespace vigil::blobs
