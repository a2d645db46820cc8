// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of stages whose weights are many: any matrix, in one pass or in two, and the bilateral filter's
// tables.
#include "kernels/filter/definitions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vigil::filter {
namespace {

using Vector = std::vector<double>;

constexpr int across_bits = 20, between_bits = 8, down_bits = 14, all_bits = 22;

std::int32_t scaled(double value, int bits) {
  return static_cast<std::int32_t>(std::floor(std::ldexp(value, bits) + 0.5));
}
std::vector<std::int32_t> all_scaled(const Vector &values, int bits) {
  std::vector<std::int32_t> r;
  for (const double v : values) r.push_back(scaled(v, bits));
  return r;
}
double norm(const Vector &v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.));
}
double absolute_sum(const Vector &v) {
  return std::accumulate(v.begin(), v.end(), 0., [](double sum, double x) { return sum + std::abs(x); });
}

// The first singular value's part of an n x n matrix: down_i across_j, the sum of |across_j| being 1. By
// power iteration, which starts at the row of the greatest norm and is done at once where there is no second
// singular value.
struct Factors {
  Vector across, down;
};
Factors first_factors(const Vector &k, std::size_t n) {
  const auto row = [&](std::size_t i) {
    return Vector(k.begin() + long(i * n), k.begin() + long((i + 1) * n));
  };
  Factors f{row(0), Vector(n)};
  for (std::size_t i = 1; i < n; i++)
    if (Vector r = row(i); norm(r) > norm(f.across)) f.across = std::move(r);
  if (norm(f.across) == 0) return f;
  for (int step = 0; step < 30; step++) {
    const double length = norm(f.across);
    for (double &a : f.across) a /= length;
    Vector next(n);
    for (std::size_t i = 0; i < n; i++) {
      f.down[i] = 0;
      for (std::size_t j = 0; j < n; j++) f.down[i] += k[i * n + j] * f.across[j];
      for (std::size_t j = 0; j < n; j++) next[j] += k[i * n + j] * f.down[i];
    }
    if (step + 1 < 30) f.across = next;
  }
  const double sum = absolute_sum(f.across);
  for (double &a : f.across) a /= sum;
  for (double &d : f.down) d *= sum;
  return f;
}

} // namespace

WeightsInUnits weights_of(const Stage &s, int full) {
  const int radius = radius_of(s);
  const std::size_t n = std::size_t(2 * radius + 1);
  Vector k(n * n);
  const Weights &m = s.matrix;
  for (int y = 0; y < m.rows; y++)
    for (int x = 0; x < m.columns; x++)
      k[std::size_t(y + radius - m.rows / 2) * n + std::size_t(x + radius - m.columns / 2)] =
          m.values[std::size_t(y) * m.columns + x] / s["divide"];
  const double offset = s["offset"];
  const int exponent = int(std::ceil(std::log2(std::max(absolute_sum(k) + std::abs(offset), 1.))));

  WeightsInUnits w{radius, {}, {}, {}, 0, down_bits - exponent + between_bits};
  const Factors f = first_factors(k, n);
  w.across = all_scaled(f.across, across_bits);
  w.down = all_scaled(f.down, down_bits - exponent);
  double left_over = 0;
  for (std::size_t i = 0; i < n * n; i++)
    left_over += std::abs(
        k[i] - std::ldexp(double(w.down[i / n]) * w.across[i % n], exponent - down_bits - across_bits));
  if (left_over >= 1 / 510.) {
    w.across.clear();
    w.down.clear();
    w.shift = all_bits - exponent;
    w.all = all_scaled(k, w.shift);
  }
  w.offset = offset_of(offset, full, w.shift);
  return w;
}

BilateralTables bilateral_tables(const Stage &s, int full) {
  const auto bell = [](double square, double sigma) {
    return static_cast<std::int32_t>(std::floor(4096 * std::exp(-square / (2 * sigma * sigma)) + 0.5));
  };
  const int r = radius_of(s);
  BilateralTables t;
  for (int y = -r; y <= r; y++)
    for (int x = -r; x <= r; x++) t.spatial.push_back(bell(x * x + y * y, s["spatial-sigma"]));
  for (int d = 0; d <= full; d += 1 << range_shift(full))
    t.range.push_back(bell(d / double(full) * (d / double(full)), s["range-sigma"]));
  return t;
}

} // namespace vigil::filter
