// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels become bits by SIMD, compiled once for each instruction set and chosen at run time. Where a bit
// differs from the one before it, a run begins or ends.
#include "kernels/blobs/cpu/runs.h"

#include <bit>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/blobs/cpu/runs.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h> // must come before highway.h
#include <hwy/highway.h>

#include "common/cpu/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vigil::blobs::HWY_NAMESPACE {
namespace {

Run *runs(const std::uint8_t *row, int width, Run *out, std::uint64_t &between) {
  std::uint64_t before = 0; // the last pixel of the word before
  const auto take = [&](const std::uint8_t *p, int x) {
    const std::uint64_t bits = vigil::HWY_NAMESPACE::full_bits(p);
    between += std::uint64_t(std::popcount(vigil::HWY_NAMESPACE::some_bits(p) & ~bits));
    std::uint64_t edges = bits ^ (bits << 1 | before);
    const auto next = [&] {
      const auto at = std::uint16_t(x + std::countr_zero(edges));
      edges &= edges - 1;
      return at;
    };
    if (before && edges) (out++)->end = next();
    before = bits >> 63;
    while (edges) { // pairs of begin and end; the last end may be in a later word
      const std::uint16_t first = next();
      const bool ends = edges != 0;
      *out = {first, ends ? next() : std::uint16_t{0}, no_label};
      out += ends;
    }
  };
  int x = 0;
  for (; x + 64 <= width; x += 64) take(row + x, x);
  if (x < width) {
    std::uint8_t end[64] = {};
    std::memcpy(end, row + x, std::size_t(width - x));
    take(end, x);
  }
  if (before) (out++)->end = std::uint16_t(width); // it reaches the border, where a word ends as well
  return out;
}

} // namespace
} // namespace vigil::blobs::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::blobs {

HWY_EXPORT(runs);

Run *find_runs(const std::uint8_t *row, int width, Run *out, std::uint64_t &between) {
  return HWY_DYNAMIC_DISPATCH(runs)(row, width, out, between);
}

} // namespace vigil::blobs
#endif
