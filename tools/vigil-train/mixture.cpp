// SPDX-License-Identifier: LGPL-2.1-or-later
// Both steps are matrix products: log-likelihoods of a block of rows are [x^2, x] times [-1/2 sigma^2; mu /
// sigma^2], and what maximisation needs is the posteriors' transpose times [x^2, x]. Rows are taken in blocks
// that stay in the cache. Products are in single precision, and sums over blocks in double. The data's mean
// is near 0 (after the projection), so x^2 loses nothing that the floor of the variances does not hide.
#include "mixture.h"

#include "common/error.h"
#include "matrix.h"
#include "parallel.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace vigil::train {
namespace {

constexpr std::size_t block = 1024; // rows

template <class T>
void add(std::vector<double> &sums, const T *values) {
  for (std::size_t i = 0; i < sums.size(); i++) sums[i] += double{values[i]};
}

// [x^2, x]
void squares_and_values(const Data &d, std::size_t first, std::size_t count, Matrix &out) {
  out.resize(count, 2 * d.dimension);
  for (std::size_t i = 0; i < count; i++) {
    const float *x = d.values.data() + (first + i) * d.dimension;
    float *to = out.row(i);
    for (std::size_t k = 0; k < d.dimension; k++) {
      to[k] = x[k] * x[k];
      to[d.dimension + k] = x[k];
    }
  }
}

struct Scorer {
  Matrix factors;               // 2 dimension x components
  std::vector<float> constants; // components
};
Scorer scorer_for(const Mixture &m) {
  const std::size_t n = m.components, width = m.dimension;
  Scorer s{{}, std::vector<float>(n)};
  s.factors.resize(2 * width, n);
  for (std::size_t j = 0; j < n; j++) {
    double constant = std::log(std::max(m.priors[j], 1e-300));
    for (std::size_t k = 0; k < width; k++) {
      const double v = m.variances[j * width + k], mean = m.means[j * width + k];
      s.factors.row(k)[j] = static_cast<float>(-0.5 / v);
      s.factors.row(width + k)[j] = static_cast<float>(mean / v);
      constant -= 0.5 * (mean * mean / v + std::log(2 * std::numbers::pi * v));
    }
    s.constants[j] = static_cast<float>(constant);
  }
  return s;
}

// Log-likelihoods become posteriors; returns the sum of the rows' log-likelihoods.
double to_posteriors(Matrix &l, const std::vector<float> &constants) {
  constexpr float least = -25; // of a logarithm: smaller posteriors change nothing
  double sum = 0;
  for (std::size_t i = 0; i < l.rows; i++) {
    float *row = l.row(i), most = -std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < l.columns; j++) {
      row[j] += constants[j];
      most = row[j] > most ? row[j] : most;
    }
    float all = 0;
    for (std::size_t j = 0; j < l.columns; j++) {
      const float z = row[j] - most;
      row[j] = z < least ? 0 : std::exp(z);
      all += row[j];
    }
    const float share = 1 / all;
    for (std::size_t j = 0; j < l.columns; j++) row[j] *= share;
    sum += double{most} + std::log(double{all});
  }
  return sum;
}

} // namespace

Statistics expectation(const Data &d, const Mixture &m) {
  const Scorer scorer = scorer_for(m);
  const std::size_t n = m.components, width = 2 * m.dimension;
  return sum_parts(
      d.rows, Statistics{std::vector<double>(n * width), std::vector<double>(n), 0},
      [&](Statistics &out, std::size_t first, std::size_t last) {
        Matrix x, l, q;
        std::vector<float> mass(n);
        for (std::size_t i = first; i < last; i += block) {
          squares_and_values(d, i, std::min(block, last - i), x);
          multiply(x, scorer.factors, Transpose::none, l);
          out.likelihood += to_posteriors(l, scorer.constants);
          multiply(l, x, Transpose::a, q);
          add(out.sums, q.values.data());
          std::fill(mass.begin(), mass.end(), 0.F);
          for (std::size_t r = 0; r < l.rows; r++)
            for (std::size_t j = 0; j < n; j++) mass[j] += l.row(r)[j];
          add(out.mass, mass.data());
        }
      },
      [](Statistics &a, const Statistics &b) {
        add(a.sums, b.sums.data());
        add(a.mass, b.mass.data());
        a.likelihood += b.likelihood;
      });
}

namespace {

struct Clusters {
  std::vector<double> sums; // components x 2 dimension: of x^2 and x
  std::vector<double> counts;
};
// Each row goes to the centre c with the largest x c - |c|^2 / 2.
Clusters cluster(const Data &d, std::span<const float> centres) {
  const std::size_t width = d.dimension, n = centres.size() / width;
  std::vector<float> half_norms(n);
  for (std::size_t j = 0; j < n; j++)
    for (std::size_t k = 0; k < width; k++)
      half_norms[j] += 0.5F * centres[j * width + k] * centres[j * width + k];
  return sum_parts(
      d.rows, Clusters{std::vector<double>(n * 2 * width), std::vector<double>(n)},
      [&](Clusters &out, std::size_t first, std::size_t last) {
        Matrix scores, x;
        for (std::size_t i = first; i < last; i += block) {
          const std::size_t count = std::min(block, last - i);
          multiply({d.values.data() + i * width, count, width}, {centres.data(), n, width}, Transpose::b,
                   scores);
          squares_and_values(d, i, count, x);
          for (std::size_t r = 0; r < count; r++) {
            float *row = scores.row(r);
            for (std::size_t j = 0; j < n; j++) row[j] -= half_norms[j];
            const auto nearest = static_cast<std::size_t>(std::max_element(row, row + n) - row);
            for (std::size_t k = 0; k < 2 * width; k++)
              out.sums[nearest * 2 * width + k] += double{x.row(r)[k]};
            out.counts[nearest]++;
          }
        }
      },
      [](Clusters &a, const Clusters &b) {
        add(a.sums, b.sums.data());
        add(a.counts, b.counts.data());
      });
}

// SplitMix64 (Steele et al. 2014): the standard library's distributions differ from one to another.
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

std::vector<float> k_means_plus_plus(const Data &d, std::size_t components, std::uint64_t seed) {
  Random random{seed};
  std::vector<float> centres;
  const auto take = [&](std::size_t row) {
    centres.insert(centres.end(), d.values.begin() + row * d.dimension,
                   d.values.begin() + (row + 1) * d.dimension);
  };
  take(random.next() % d.rows);
  std::vector<float> distance(d.rows, std::numeric_limits<float>::max());
  while (centres.size() < components * d.dimension) {
    const float *last = centres.data() + centres.size() - d.dimension;
    oneapi::tbb::parallel_for(std::size_t{0}, d.rows, [&](std::size_t i) {
      const float *x = d.values.data() + i * d.dimension;
      float squares = 0;
      for (std::size_t k = 0; k < d.dimension; k++) squares += (x[k] - last[k]) * (x[k] - last[k]);
      distance[i] = std::min(distance[i], squares);
    });
    double all = 0;
    for (const float v : distance) all += double{v};
    double left = random.unit() * all;
    std::size_t row = 0;
    while (row + 1 < d.rows && (left -= double{distance[row]}) >= 0) row++;
    take(row);
  }
  return centres;
}

} // namespace

std::vector<double> variance_floor(const Data &d, double fraction) {
  const std::vector<float> origin(d.dimension);
  const Clusters all = cluster(d, origin);
  double most = 0;
  for (std::size_t k = 0; k < d.dimension; k++) {
    const double mean = all.sums[d.dimension + k] / all.counts[0];
    most = std::max(most, all.sums[k] / all.counts[0] - mean * mean);
  }
  return std::vector<double>(d.dimension, std::max(fraction * most, 1e-9));
}

std::vector<float> k_means(const Data &d, std::size_t components, std::uint64_t seed, int iterations) {
  if (d.rows < components)
    fail(Error::Kind::bad_data, "only ", d.rows, " descriptors were found, fewer than the ", components,
         " components");
  constexpr std::size_t rows_each = 256, rows_each_at_first = 64;
  Data part = d;
  part.rows = std::min(d.rows, rows_each_at_first * components);
  std::vector<float> centres = k_means_plus_plus(part, components, seed);
  part.rows = std::min(d.rows, rows_each * components);
  for (int i = 0; i < iterations; i++) {
    const Clusters c = cluster(part, centres);
    bool moved = false;
    for (std::size_t j = 0; j < components; j++)
      for (std::size_t k = 0; k < d.dimension && c.counts[j] > 0; k++) {
        const auto v = static_cast<float>(c.sums[(2 * j + 1) * d.dimension + k] / c.counts[j]);
        moved |= v != centres[j * d.dimension + k];
        centres[j * d.dimension + k] = v;
      }
    if (!moved) break;
  }
  return centres;
}

Mixture from_clusters(const Data &d, std::span<const float> centres, std::span<const double> floor) {
  const Clusters c = cluster(d, centres);
  const std::size_t n = c.counts.size(), width = d.dimension;
  Mixture m{n, width, std::vector<double>(n), std::vector<double>(n * width), std::vector<double>(n * width)};
  const Statistics s{c.sums, c.counts, 0};
  maximisation(s, static_cast<double>(d.rows), m, floor);
  return m;
}

} // namespace vigil::train
