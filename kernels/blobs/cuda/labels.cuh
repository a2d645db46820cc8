// SPDX-License-Identifier: LGPL-2.1-or-later
// The picture of labels. A component's label is its first pixel, which is in the line of its root, but maybe
// in another run: only the upper row of a line comes first.
#pragma once

#include "kernels/blobs/cuda/runs.cuh"

namespace vigil::blobs {

// Calls work(run, its number) for each run of a strip's part.
template <int rows, class Do>
__device__ inline void each_run(const Work &w, int strip, Do work) {
  const Strip s = strip_at<rows>(w, strip);
  for (std::uint32_t left = s.begins; left; left &= left - 1) {
    const Run r = run_at(s.bits.any(), __ffs(int(left)) - 1);
    work(s, r, s.base + std::uint32_t(r.first / 2));
  }
}
// From here on `roots` has first pixels.
template <int rows>
__device__ inline void begin_firsts(const Work &w, int strip) {
  each_run<rows>(w, strip, [&](const Strip &, const Run &, std::uint32_t self) {
    if (w.parent[self] == self) w.roots[self] = ~0u;
  });
}
template <int rows>
__device__ inline void find_firsts(const Work &w, int strip) {
  each_run<rows>(w, strip, [&](const Strip &s, const Run &r, std::uint32_t self) {
    const std::uint32_t root = w.parent[self], top = s.bits.top & r.bits, bottom = s.bits.bottom & r.bits;
    if (int(root / w.pitch()) != s.line) return;
    const int y = s.line * rows + (top ? 0 : 1), x = s.word * 32 + __ffs(int(top ? top : bottom)) - 1;
    atomicMin(w.roots + root, std::uint32_t(y) * std::uint32_t(w.width) + std::uint32_t(x));
  });
}
template <int rows>
__device__ inline void draw_label(const Work &w, Plane<std::int32_t> out, int x, int y) {
  const Rows word = rows_at<rows>(w, x / 32, y / rows);
  std::int32_t label = 0;
  if ((y % rows ? word.bottom : word.top) >> (x % 32) & 1) {
    const auto run =
        std::uint32_t(y / rows) * w.pitch() + std::uint32_t(x / 32 * 16 + start_of(word.any(), x % 32) / 2);
    label = std::int32_t(w.roots[w.parent[run]]) + 1;
  }
  out.row(y)[x] = label;
}

} // namespace vigil::blobs
