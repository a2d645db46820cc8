// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/fisher/cpu/sift.h"

#include "common/cpu/targets.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/fisher/cpu/sift.cpp"
#include <hwy/foreach_target.h> // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace vigil::fisher::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;           // along a row
using E = hn::CappedTag<float, orientations>; // along the orientations of a cell
constexpr std::size_t cell_step = hn::MaxLanes(E());

// A row's neighbours outside the picture continue its slope, so that half the difference of a border pixel's
// neighbours is the difference that fisher.h asks for. A picture with descriptors is at least 4 pixels wide.
void continue_slope(float *row, int width) {
  row[-1] = 2 * row[0] - row[1];
  row[width] = 2 * row[width - 1] - row[width - 2];
}

void luma(const ConstImage &frame, const Rows &to, int first, int last) {
  const int red = frame.format == PixelFormat::rgba ? 0 : 2;
  const bool colour = frame.format == PixelFormat::rgba || frame.format == PixelFormat::bgra;
  const auto part = [](double weight) { return static_cast<float>(weight / 255); };
  for (int y = first; y < last; y++) {
    const std::uint8_t *p = frame.plane(0).row(y);
    float *out = to.row(y);
    if (colour)
      for (int x = 0; x < to.width; x++)
        out[x] = part(luma_red) * p[4 * x + red] + part(luma_green) * p[4 * x + 1] +
                 part(luma_blue) * p[4 * x + 2 - red];
    else
      for (int x = 0; x < to.width; x++) out[x] = part(1) * p[x];
    if (to.width > 1) continue_slope(out, to.width);
  }
}

void resize(const Rows &from, const Resize &rx, const Resize &ry, const Rows &to, int first, int last,
            float *scratch) {
  const D d;
  const hn::RebindToSigned<D> di;
  const int step = int(hn::Lanes(d));
  float *const wide = scratch + Rows::margin;
  for (int y = first; y < last; y++) {
    for (int x = 0; x < from.width; x += step) {
      auto sum = hn::Zero(d);
      for (int t = 0; t < ry.taps; t++) {
        const float weight = ry.weight[std::size_t(t) * ry.count + y];
        if (weight != 0)
          sum = hn::MulAdd(hn::Set(d, weight), hn::LoadU(d, from.row(ry.first[y] + t) + x), sum);
      }
      hn::StoreU(sum, d, wide + x);
    }
    std::fill_n(wide + from.width, Rows::margin, 0.F);
    float *out = to.row(y);
    int x = 0;
    for (; x + step <= to.width; x += step) {
      auto sum = hn::Zero(d);
      auto index = hn::LoadU(di, &rx.first[x]);
      for (int t = 0; t < rx.taps; t++, index = hn::Add(index, hn::Set(di, 1)))
        sum = hn::MulAdd(hn::LoadU(d, &rx.weight[std::size_t(t) * rx.count + x]),
                         hn::GatherIndex(d, wide, index), sum);
      hn::StoreU(sum, d, out + x);
    }
    for (; x < to.width; x++) {
      out[x] = 0;
      for (int t = 0; t < rx.taps; t++)
        out[x] += rx.weight[std::size_t(t) * rx.count + x] * wide[rx.first[x] + t];
    }
    continue_slope(out, to.width);
  }
}

// Modulus and angle (0..8) of `width` pixels, rounded up to whole vectors.
void gradient(const Rows &picture, int y, float *modulus, float *angle) {
  const D d;
  const float *above = picture.row(std::max(y - 1, 0)), *here = picture.row(y),
              *below = picture.row(std::min(y + 1, picture.height - 1));
  const auto half = hn::Set(d, 0.5F), slope = hn::Set(d, y == 0 || y == picture.height - 1 ? 1.F : 0.5F);
  const auto turn = hn::Set(d, float(orientations)), eighth = hn::Set(d, orientations / 8.F);
  const auto scale = float(orientations / (2 * std::numbers::pi));
  const auto cubic = hn::Set(d, float(angle_cubic) * scale), linear = hn::Set(d, float(angle_linear) * scale);
  for (int x = 0; x < picture.width; x += int(hn::Lanes(d))) {
    const auto gx = hn::Mul(half, hn::Sub(hn::LoadU(d, here + x + 1), hn::LoadU(d, here + x - 1)));
    const auto gy = hn::Mul(slope, hn::Sub(hn::LoadU(d, below + x), hn::LoadU(d, above + x)));
    const auto b = hn::Add(hn::Abs(gy), hn::Set(d, float(norm_epsilon)));
    // Both cases of fisher.h at once: (|gx| - b)/(|gx| + b), mirrored at the vertical where gx is negative.
    const auto r = hn::Div(hn::Sub(hn::Abs(gx), b), hn::Add(hn::Abs(gx), b));
    const auto acute = hn::MulAdd(hn::MulSub(hn::Mul(cubic, r), r, linear), r, eighth);
    const auto up = hn::IfThenElse(hn::Lt(gx, hn::Zero(d)), hn::Sub(hn::Mul(half, turn), acute), acute);
    const auto n = hn::IfThenElse(hn::Lt(gy, hn::Zero(d)), hn::Sub(turn, up), up);
    hn::StoreU(hn::Sqrt(hn::MulAdd(gx, gx, hn::Mul(gy, gy))), d, modulus + x);
    hn::StoreU(n, d, angle + x);
  }
}

constexpr int most_pad = 32; // of columns at either end: bin_size - 1 at most
int columns_for(int width) {
  return (width + 15) / 16 * 16;
}

// The weight of row (column) y in the triangle around `centre`, rows outside the picture being copies of the
// border's.
float triangle(int centre, int y, int size, int bin_size) {
  int sum = 0;
  const auto add = [&](int at) { sum += std::max(0, bin_size - std::abs(at - centre)); };
  add(y);
  if (y == 0)
    for (int at = centre - bin_size + 1; at < 0; at++) add(at);
  if (y == size - 1)
    for (int at = size; at < centre + bin_size; at++) add(at);
  return float(sum) / float(bin_size);
}

// First along columns: each row of gradients is added to the rows of cells whose triangles cover it. Then
// along rows.
void grid(const Rows &picture, const Grid &g, int first, int last, float *scratch) {
  const E e;
  const int width = picture.width, height = picture.height, padded = columns_for(width), b = g.bin_size;
  float *const modulus = scratch, *const angle = modulus + padded;
  const std::size_t pitch = std::size_t(orientations) * (padded + 2 * most_pad);
  float *const sums = angle + padded + orientations * most_pad; // of the first row, its first pixel
  for (int i = 0; i < last - first; i++)
    std::memset(sums + i * pitch, 0, sizeof(float) * orientations * width);
  const int top = std::max(0, first * g.spacing - b + 1);
  const int bottom = std::min(height - 1, (last - 1) * g.spacing + b - 1);
  for (int y = top; y <= bottom; y++) {
    gradient(picture, y, modulus, angle);
    int begin = first;
    while (begin * g.spacing <= y - b) begin++;
    int end = begin;
    float weights[2 * most_pad];
    for (; end < last && end * g.spacing < y + b; end++)
      weights[end - begin] = triangle(end * g.spacing, y, height, b);
    for (int o = 0; o < orientations; o += int(cell_step)) {
      const auto own = hn::Add(hn::Iota(e, 0), hn::Set(e, float(o)));
      for (int x = 0; x < width; x++) {
        // The share of orientation o is 1 - |n - o|, around the circle.
        const auto m = hn::Set(e, modulus[x]);
        const auto away = hn::Abs(hn::Sub(hn::Set(e, angle[x]), own));
        const auto distance = hn::Min(away, hn::Sub(hn::Set(e, float(orientations)), away));
        const auto value = hn::Max(hn::NegMulAdd(m, distance, m), hn::Zero(e));
        float *to = sums + (begin - first) * pitch + x * orientations + o;
        for (int i = 0; i < end - begin; i++, to += pitch)
          hn::StoreU(hn::MulAdd(hn::Set(e, weights[i]), value, hn::LoadU(e, to)), e, to);
      }
    }
  }
  float weights[2 * most_pad];
  for (int i = 0; i < 2 * b - 1; i++) weights[i] = float(b - std::abs(i - b + 1)) / float(b);
  for (int row = first; row < last; row++) {
    float *const from = sums + (row - first) * pitch, *const back =
                                                          from + std::size_t(orientations) * (width - 1);
    for (int i = 1; i < b; i++) {
      std::copy_n(from, orientations, from - orientations * i);
      std::copy_n(back, orientations, back + orientations * i);
    }
    float *out = g.row(row);
    for (int column = 0; column < g.columns; column++)
      for (int o = 0; o < orientations; o += int(cell_step), out += cell_step) {
        const float *p = from + std::ptrdiff_t{orientations} * (column * g.spacing - b + 1) + o;
        auto sum = hn::Zero(e);
        for (int i = 0; i < 2 * b - 1; i++, p += orientations)
          sum = hn::MulAdd(hn::Set(e, weights[i]), hn::LoadU(e, p), sum);
        hn::StoreU(sum, e, out);
      }
  }
}

// 1 / (norm + epsilon)
template <class V>
HWY_INLINE auto inverse_norm(V squares) {
  const float norm = std::sqrt(hn::GetLane(hn::SumOfLanes(E(), squares)));
  return hn::Set(E(), 1 / (norm + float(norm_epsilon)));
}

void describe(const Grid &g, const SiftParams &p, const Window &window, int row, int first, int count,
              float *out) {
  const E e;
  const std::ptrdiff_t bin = std::ptrdiff_t{orientations} * (g.bin_size / g.spacing);
  for (int c = first; c < first + count; c++, out += descriptor_length) {
    auto sum = hn::Zero(e), squares = hn::Zero(e);
    int i = 0;
    for (int l = 0; l < bins; l++) {
      const float *from = g.row((row * p.step + l * g.bin_size) / g.spacing) +
                          std::ptrdiff_t{orientations} * (c * p.step / g.spacing);
      for (int k = 0; k < bins; k++, from += bin)
        for (int o = 0; o < orientations; o += int(cell_step), i += int(cell_step)) {
          const auto v = hn::Mul(hn::LoadU(e, from + o), hn::LoadU(e, window.weight + i));
          sum = hn::Add(sum, v);
          squares = hn::MulAdd(v, v, squares);
          hn::StoreU(v, e, out + i);
        }
    }
    if (hn::GetLane(hn::SumOfLanes(e, sum)) < window.least_sum) {
      std::fill_n(out, descriptor_length, 0.F);
      continue;
    }
    auto factor = inverse_norm(squares);
    squares = hn::Zero(e);
    for (i = 0; i < descriptor_length; i += int(cell_step)) {
      const auto v = hn::Min(hn::Mul(hn::LoadU(e, out + i), factor), hn::Set(e, float(clip)));
      squares = hn::MulAdd(v, v, squares);
      hn::StoreU(v, e, out + i);
    }
    factor = inverse_norm(squares);
    for (i = 0; i < descriptor_length; i += int(cell_step))
      hn::StoreU(hn::Mul(hn::LoadU(e, out + i), factor), e, out + i);
  }
}

} // namespace
} // namespace vigil::fisher::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vigil::fisher::cpu {

HWY_EXPORT(luma);
HWY_EXPORT(resize);
HWY_EXPORT(grid);
HWY_EXPORT(describe);

Resize resize_for(int from, int to) {
  Resize r;
  const double ratio = double(from) / to, half = std::max(1., ratio);
  r.taps = int(std::ceil(2 * half)) + 1;
  r.count = to;
  r.first.resize(to);
  r.weight.resize(std::size_t(r.taps) * to);
  for (int i = 0; i < to; i++) {
    const double centre = (i + 0.5) * ratio - 0.5;
    const int first = std::max(0, int(std::floor(centre - half)) + 1);
    double sum = 0;
    const auto weight = [&](int j) { return j < from ? std::max(0., 1 - std::abs(j - centre) / half) : 0; };
    for (int t = 0; t < r.taps; t++) sum += weight(first + t);
    // Those of weight 0 at the end must be inside as well, for rows.
    r.first[i] = std::max(0, std::min(first, from - r.taps));
    for (int t = 0; t < r.taps; t++) r.weight[std::size_t(t) * to + i] = float(weight(r.first[i] + t) / sum);
  }
  return r;
}

void luma_rows(const ConstImage &frame, const Rows &to, int first, int last) {
  HWY_DYNAMIC_DISPATCH(luma)(frame, to, first, last);
}
void resize_rows(const Rows &from, const Resize &x, const Resize &y, const Rows &to, int first, int last,
                 float *scratch) {
  HWY_DYNAMIC_DISPATCH(resize)(from, x, y, to, first, last, scratch);
}
void grid_rows(const Rows &picture, const Grid &g, int first, int last, float *scratch) {
  HWY_DYNAMIC_DISPATCH(grid)(picture, g, first, last, scratch);
}
std::size_t grid_scratch(int width, int rows) {
  const std::size_t padded = (width + 15) / 16 * 16;
  return 2 * padded + orientations * (padded + 64) * std::size_t(rows);
}
void describe_row(const Grid &g, const SiftParams &p, const Window &w, int row, int first, int count,
                  float *out) {
  HWY_DYNAMIC_DISPATCH(describe)(g, p, w, row, first, count, out);
}

} // namespace vigil::fisher::cpu
#endif
