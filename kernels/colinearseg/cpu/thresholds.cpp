// SPDX-License-Identifier: LGPL-2.1-or-later
// What a frame and the background say about each pixel: the thresholds on M, and samples of D2.
#include "kernels/colinearseg/cpu/rows.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/colinearseg/cpu/thresholds.cpp"
#include "common/cpu/targets.h"
#include <hwy/foreach_target.h> // must come before highway.h
#include <hwy/highway.h>

#include "common/cpu/mask_bits-inl.h"
#include "kernels/colinearseg/cpu/evidence-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vigil::colinearseg::cpu::HWY_NAMESPACE {
namespace {

namespace bits = vigil::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;

// So many pixels of three rows are worked on at once: their sums stay in the first level cache. Rows of sums
// have the pixel to the left at 0 and are long enough for whole vectors.
constexpr int strip = 512, padded = strip + 2 + 64;

std::uint32_t pixel(Rgba p, int x, int y) {
  std::uint32_t v;
  std::memcpy(&v, p.row(std::clamp(y, 0, p.height - 1)) + 4 * std::ptrdiff_t{std::clamp(x, 0, p.width - 1)},
              sizeof v);
  return v;
}

// Pixels x - 1 to x + n of a row, the nearest inside for those outside, and zeros after them.
void copy_pixels(Rgba p, int x, int n, int y, std::uint32_t *to) {
  y = std::clamp(y, 0, p.height - 1);
  to[0] = pixel(p, x - 1, y);
  std::memcpy(to + 1, p.row(y) + 4 * std::ptrdiff_t{x}, 4 * std::size_t(n));
  to[n + 1] = pixel(p, x + n, y);
  std::fill(to + n + 2, to + padded, 0u);
}

struct Row {
  alignas(64) float fore[padded];
  alignas(64) float back[padded];
  alignas(64) float cross[padded];
};
HWY_INLINE Sums<Floats> load(const Row &r, int i) {
  const Floats d;
  return {hn::LoadU(d, r.fore + i), hn::LoadU(d, r.back + i), hn::LoadU(d, r.cross + i)};
}
HWY_INLINE void store(const Sums<Floats> &s, Row &r, int i) {
  const Floats d;
  hn::Store(s.fore, d, r.fore + i);
  hn::Store(s.back, d, r.back + i);
  hn::Store(s.cross, d, r.cross + i);
}

void row_products(Rgba frame, Rgba background, int x, int n, int y, Row &to) {
  const Floats d;
  const Words<Floats> du;
  alignas(64) std::uint32_t f[padded], b[padded];
  copy_pixels(frame, x, n, y, f);
  copy_pixels(background, x, n, y, b);
  for (int i = 0; i < n + 2; i += int(hn::Lanes(d)))
    store(products(d, hn::Load(du, f + i), hn::Load(du, b + i)), to, i);
}

// The binary digits of one byte a pixel.
void put_digits(const std::uint8_t *bytes, int words, BitPlane to, int y, int word) {
  for (int k = 0; k < digits; k++)
    for (int j = 0; j < words; j++) to.row(digits * y + k)[word + j] = bits::digit_bits(bytes + 64 * j, k);
}

void thresholds_strip(Rgba frame, Rgba background, const Constants &c, BitPlane temporal, BitPlane other,
                      int x, int n, int first, int last) {
  const Floats d;
  const Whole<Floats> di;
  const hn::Rebind<std::uint8_t, Whole<Floats>> bytes;
  const int words = (n + 63) / 64, lanes = int(hn::Lanes(d));
  Row rows[3], columns;
  alignas(64) std::uint8_t least[2][strip + 64];
  // Row y is in rows[(y + 1 - first) % 3].
  row_products(frame, background, x, n, first - 1, rows[0]);
  row_products(frame, background, x, n, first, rows[1]);
  for (int y = first; y < last; y++) {
    row_products(frame, background, x, n, y + 1, rows[(y + 2 - first) % 3]);
    for (int i = 0; i < n + 2; i += lanes)
      store(add(add(load(rows[0], i), load(rows[1], i)), load(rows[2], i)), columns, i);
    for (int i = 0; i < n; i += lanes) {
      const Sums<Floats> sums = add(add(load(columns, i), load(columns, i + 1)), load(columns, i + 2));
      const auto e = evidence(d, sums, c.darkness_offset);
      const auto put = [&](int compactness, std::uint8_t *to) HWY_ATTR {
        const auto need = hn::Sub(hn::Set(di, c.static_threshold + 12 * compactness), e);
        hn::StoreU(hn::DemoteTo(bytes, least_neighbours(d, need, compactness)), bytes, to + i);
      };
      put(c.compactness, least[0]);
      if (temporal.data) put(c.temporal_compactness, least[1]);
    }
    for (auto &l : least) std::fill(l + n, l + 64 * words, std::uint8_t{15});
    put_digits(least[0], words, other, y, x / 64);
    if (temporal.data) put_digits(least[1], words, temporal, y, x / 64);
  }
}

void thresholds_rows(Rgba frame, Rgba background, const Constants &c, BitPlane temporal, BitPlane other,
                     int first, int last) {
  for (int x = 0; x < frame.width; x += strip)
    thresholds_strip(frame, background, c, temporal, other, x, std::min(strip, frame.width - x), first, last);
}

void samples_at(Rgba frame, Rgba background, const SampleGrid &grid, std::uint32_t *out) {
  using One = hn::CappedTag<float, 1>;
  const One d;
  const Words<One> du;
  for (int j = 0; j < grid.rows; j++)
    for (int i = 0; i < grid.columns; i++) {
      const int x = std::min(grid.step / 2 + i * grid.step, frame.width - 1);
      const int y = std::min(grid.step / 2 + j * grid.step, frame.height - 1);
      Sums<One> sums{hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++)
          sums =
              add(sums, products(d, hn::Set(du, pixel(frame, u, v)), hn::Set(du, pixel(background, u, v))));
      *out++ = static_cast<std::uint32_t>(hn::GetLane(evidence(d, sums, 0)));
    }
}

} // namespace
} // namespace vigil::colinearseg::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::colinearseg::cpu {
HWY_EXPORT(thresholds_rows);
HWY_EXPORT(samples_at);

void thresholds(Rgba frame, Rgba background, const Constants &c, BitPlane temporal, BitPlane other, int first,
                int last) {
  HWY_DYNAMIC_DISPATCH(thresholds_rows)(frame, background, c, temporal, other, first, last);
}
void samples(Rgba frame, Rgba background, const SampleGrid &grid, std::uint32_t *out) {
  HWY_DYNAMIC_DISPATCH(samples_at)(frame, background, grid, out);
}
} // namespace vigil::colinearseg::cpu
#endif
