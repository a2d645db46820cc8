// SPDX-License-Identifier: LGPL-2.1-or-later
// Both steps are matrix products: log-likelihoods of a block of rows are [x^2, x] times [-1/2 sigma^2; mu / sigma^2], and
// what maximisation needs is the posteriors' transpose times [x^2, x]. Rows are taken in blocks that stay in the cache.
// Products are in single precision, and sums over blocks in double. The data's mean is near 0 (after the projection), so
// x^2 loses nothing that the floor of the variances does not hide.
#include "mixture.h"

#include "common/error.h"
#include "parallel.h"

#include <Eigen/Core>
#include <cblas.h>
#include <cmath>
#include <numbers>

namespace vigil::train {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Sums = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr std::size_t block = 1024; // rows

Eigen::Index index(std::size_t n) {
  return static_cast<Eigen::Index>(n);
}

// c = a b, or a^T b. By a BLAS, which takes the processor's best instructions when it runs. Its own threads would make
// sums depend on their number; there is one part of the rows for each thread here anyway.
void multiply(const Matrix &a, bool transposed, const Matrix &b, Matrix &c) {
  static const bool single = (openblas_set_num_threads(1), true);
  (void)single;
  const auto inner = transposed ? a.rows() : a.cols(), outer = transposed ? a.cols() : a.rows();
  c.resize(outer, b.cols());
  cblas_sgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, static_cast<int>(outer),
              static_cast<int>(b.cols()), static_cast<int>(inner), 1, a.data(), static_cast<int>(a.cols()),
              b.data(), static_cast<int>(b.cols()), 0, c.data(), static_cast<int>(c.cols()));
}

Eigen::Map<const Matrix> rows_of(const Data &d, std::size_t first, std::size_t count) {
  return {d.values.data() + first * d.dimension, index(count), index(d.dimension)};
}

// [x^2, x]
void squares_and_values(const Data &d, std::size_t first, std::size_t count, Matrix &out) {
  const auto x = rows_of(d, first, count);
  out.resize(index(count), index(2 * d.dimension));
  out.leftCols(index(d.dimension)) = x.cwiseAbs2();
  out.rightCols(index(d.dimension)) = x;
}

struct Scorer {
  Matrix factors;               // 2 dimension x components
  Eigen::RowVectorXf constants; // components
};
Scorer scorer_for(const Mixture &m) {
  const std::size_t n = m.components, width = m.dimension;
  Scorer s{Matrix(index(2 * width), index(n)), Eigen::RowVectorXf(index(n))};
  for (std::size_t j = 0; j < n; j++) {
    double constant = std::log(std::max(m.priors[j], 1e-300));
    for (std::size_t k = 0; k < width; k++) {
      const double v = m.variances[j * width + k], mean = m.means[j * width + k];
      s.factors(index(k), index(j)) = static_cast<float>(-0.5 / v);
      s.factors(index(width + k), index(j)) = static_cast<float>(mean / v);
      constant -= 0.5 * (mean * mean / v + std::log(2 * std::numbers::pi * v));
    }
    s.constants[index(j)] = static_cast<float>(constant);
  }
  return s;
}

// Log-likelihoods become posteriors; returns the sum of the rows' log-likelihoods.
double to_posteriors(Matrix &l, const Scorer &s) {
  constexpr float least = -25; // of a logarithm: smaller posteriors change nothing
  double sum = 0;
  for (Eigen::Index i = 0; i < l.rows(); i++) {
    auto row = l.row(i);
    row += s.constants;
    const float most = row.maxCoeff();
    float all = 0;
    for (Eigen::Index j = 0; j < row.size(); j++) {
      const float z = row[j] - most;
      row[j] = z < least ? 0 : std::exp(z);
      all += row[j];
    }
    row /= all;
    sum += double{most} + std::log(double{all});
  }
  return sum;
}

struct Statistics {
  Sums sums; // components x 2 dimension: of q x^2 and q x
  Eigen::VectorXd mass;
  double likelihood = 0;
};

Statistics expectation(const Data &d, const Mixture &m, bool with_sums) {
  const Scorer scorer = scorer_for(m);
  const Eigen::Index n = index(m.components), width = index(2 * m.dimension);
  return sum_parts(
      d.rows, Statistics{Sums::Zero(n, width), Eigen::VectorXd::Zero(n), 0},
      [&](Statistics &out, std::size_t first, std::size_t last) {
        Matrix x, l, q;
        for (std::size_t i = first; i < last; i += block) {
          squares_and_values(d, i, std::min(block, last - i), x);
          multiply(x, false, scorer.factors, l);
          out.likelihood += to_posteriors(l, scorer);
          if (!with_sums) continue;
          multiply(l, true, x, q);
          out.sums += q.cast<double>();
          out.mass += l.colwise().sum().transpose().cast<double>();
        }
      },
      [](Statistics &a, const Statistics &b) {
        a.sums += b.sums;
        a.mass += b.mass;
        a.likelihood += b.likelihood;
      });
}

void maximisation(const Statistics &s, std::size_t rows, Mixture &m, std::span<const double> floor) {
  const std::size_t width = m.dimension;
  Eigen::Index heaviest = 0;
  s.mass.maxCoeff(&heaviest);
  const auto set = [&](std::size_t j, std::size_t from, double mass, double shift) {
    m.priors[j] = mass / static_cast<double>(rows);
    const double all = s.mass[index(from)];
    for (std::size_t k = 0; k < width; k++) {
      const double mean = s.sums(index(from), index(width + k)) / all;
      const double variance = std::max(s.sums(index(from), index(k)) / all - mean * mean, floor[k]);
      m.means[j * width + k] = mean + shift * std::sqrt(variance);
      m.variances[j * width + k] = variance;
    }
  };
  const auto heavy = static_cast<std::size_t>(heaviest);
  std::size_t lost = 0;
  for (std::size_t j = 0; j < m.components; j++) lost += s.mass[index(j)] < 1;
  const double share = s.mass[heaviest] / static_cast<double>(1 + lost);
  std::size_t nth = 0;
  for (std::size_t j = 0; j < m.components; j++) {
    if (s.mass[index(j)] < 1)
      set(j, heavy, share, 0.1 * static_cast<double>(++nth));
    else
      set(j, j, j == heavy ? share : s.mass[index(j)], 0);
  }
  double sum = 0;
  for (const double p : m.priors) sum += p;
  for (double &p : m.priors) p /= sum;
}

// The nearest centre of each row of a block.
void assign(const Data &d, std::size_t first, std::size_t count, const Matrix &centres_transposed,
            const Eigen::RowVectorXf &half_norms, Matrix &scratch, std::vector<int> &nearest) {
  const Matrix x = rows_of(d, first, count);
  multiply(x, false, centres_transposed, scratch);
  scratch.rowwise() -= half_norms;
  nearest.resize(count);
  for (std::size_t i = 0; i < count; i++) {
    Eigen::Index best = 0;
    scratch.row(index(i)).maxCoeff(&best);
    nearest[i] = static_cast<int>(best);
  }
}

struct Clusters {
  Sums sums; // components x 2 dimension: of x^2 and x
  std::vector<double> counts;
};
Clusters cluster(const Data &d, std::span<const float> centres) {
  const Eigen::Index width = index(d.dimension), n = index(centres.size()) / width;
  const Eigen::Map<const Matrix> c(centres.data(), n, width);
  const Matrix transposed = c.transpose();
  const Eigen::RowVectorXf half_norms = 0.5F * c.rowwise().squaredNorm().transpose();
  return sum_parts(
      d.rows, Clusters{Sums::Zero(n, 2 * width), std::vector<double>(static_cast<std::size_t>(n))},
      [&](Clusters &out, std::size_t first, std::size_t last) {
        Matrix scratch, x;
        std::vector<int> nearest;
        for (std::size_t i = first; i < last; i += block) {
          const std::size_t count = std::min(block, last - i);
          assign(d, i, count, transposed, half_norms, scratch, nearest);
          squares_and_values(d, i, count, x);
          for (std::size_t r = 0; r < count; r++) {
            out.sums.row(nearest[r]) += x.row(index(r)).cast<double>();
            out.counts[static_cast<std::size_t>(nearest[r])]++;
          }
        }
      },
      [](Clusters &a, const Clusters &b) {
        a.sums += b.sums;
        for (std::size_t j = 0; j < a.counts.size(); j++) a.counts[j] += b.counts[j];
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
  const auto x = rows_of(d, 0, d.rows);
  std::vector<float> centres;
  const auto take = [&](std::size_t row) {
    centres.insert(centres.end(), d.values.begin() + row * d.dimension,
                   d.values.begin() + (row + 1) * d.dimension);
  };
  take(random.next() % d.rows);
  Eigen::VectorXf distance = Eigen::VectorXf::Constant(index(d.rows), std::numeric_limits<float>::max());
  while (centres.size() < components * d.dimension) {
    const Eigen::Map<const Eigen::RowVectorXf> last(centres.data() + centres.size() - d.dimension,
                                                    index(d.dimension));
    oneapi::tbb::parallel_for(Eigen::Index{0}, index(d.rows), [&](Eigen::Index i) {
      distance[i] = std::min(distance[i], (x.row(i) - last).squaredNorm());
    });
    double all = 0;
    for (const float v : distance) all += v;
    double left = random.unit() * all;
    std::size_t row = 0;
    while (row + 1 < d.rows && (left -= distance[index(row)]) >= 0) row++;
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
    const double mean = all.sums(0, index(d.dimension + k)) / all.counts[0];
    most = std::max(most, all.sums(0, index(k)) / all.counts[0] - mean * mean);
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
        const auto v = static_cast<float>(c.sums(index(j), index(d.dimension + k)) / c.counts[j]);
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
  Statistics s{c.sums, Eigen::Map<const Eigen::VectorXd>(c.counts.data(), index(n)), 0};
  maximisation(s, d.rows, m, floor);
  return m;
}

double em_step(const Data &d, Mixture &m, std::span<const double> floor) {
  const Statistics s = expectation(d, m, true);
  maximisation(s, d.rows, m, floor);
  return s.likelihood / static_cast<double>(d.rows);
}

double mean_log_likelihood(const Data &d, const Mixture &m) {
  return expectation(d, m, false).likelihood / static_cast<double>(d.rows);
}

} // namespace vigil::train
