// SPDX-License-Identifier: LGPL-2.1-or-later
// What every expectation step checks, and the reference.
#include "expectation.h"

#include "common/error.h"
#include "kernels/fisher/fisher.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vigil::fisher {

Expectation::Expectation(int components, int dimension) : components_(components), dimension_(dimension) {
  constexpr int most = descriptor_length + 2;
  if (components < 1 || components > max_components)
    fail(Error::Kind::bad_setting, components, " components are not 1 to ", max_components);
  if (dimension < 1 || dimension > most)
    fail(Error::Kind::bad_setting, "rows of ", dimension, " numbers are not of 1 to ", most);
}

void Expectation::check(const GaussianMixture &m) const {
  const auto n = static_cast<std::size_t>(components_), d = static_cast<std::size_t>(dimension_);
  if (m.components != n || m.dimension != d || m.priors.size() != n || m.means.size() != n * d ||
      m.variances.size() != n * d)
    fail(Error::Kind::bad_setting, "a mixture of ", m.components, " components of ", m.dimension,
         " dimensions does not fit into an expectation step for ", n, " of ", d);
  const auto finite = [](const std::vector<double> &v) {
    return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
  };
  if (!finite(m.priors) || !finite(m.means) || !finite(m.variances) ||
      !std::all_of(m.variances.begin(), m.variances.end(), [](double v) { return v > 0; }))
    fail(Error::Kind::bad_data,
         "the mixture has a value that is not finite, or a variance that is not above 0");
}

void Expectation::check_count(int count) {
  if (count < 1 || count > block_rows)
    fail(Error::Kind::bad_setting, "a block of ", count, " rows is not one of 1 to ", block_rows);
}

namespace {

class Reference final : public Expectation {
 public:
  Reference(int components, int dimension) : Expectation(components, dimension) {}

  void start(const GaussianMixture &m, Queue &) override {
    check(m);
    mixture_ = m;
    sums_ = {ExactSums(m.components * 2 * m.dimension), ExactSums(m.components), ExactSums(1)};
  }

  void add(const float *rows, int count, Queue &) override {
    check_count(count);
    const std::size_t n = mixture_.components, d = mixture_.dimension;
    std::vector<double> sums(n * 2 * d), mass(n), q(n);
    double likelihood = 0;
    for (int i = 0; i < count; i++) {
      const float *x = rows + std::ptrdiff_t{i} * row_stride(dimension());
      for (std::size_t j = 0; j < n; j++) q[j] = log_joint(x, j);
      const double most = *std::max_element(q.begin(), q.end());
      double all = 0;
      for (const double v : q) all += std::exp(v - most);
      likelihood += most + std::log(all);
      for (std::size_t j = 0; j < n; j++) {
        const double posterior = std::exp(q[j] - most) / all;
        if (posterior < least_posterior) continue;
        mass[j] += posterior;
        for (std::size_t k = 0; k < d; k++) {
          sums[j * 2 * d + k] += posterior * double{x[k]} * double{x[k]};
          sums[(j * 2 + 1) * d + k] += posterior * double{x[k]};
        }
      }
    }
    sums_.sums.add(sums);
    sums_.mass.add(mass);
    sums_.likelihood.add(std::span(&likelihood, 1));
  }

  ExactStatistics finish(Queue &) override { return sums_; }

 private:
  double log_joint(const float *x, std::size_t j) const {
    double l = std::log(std::max(mixture_.priors[j], 1e-300));
    for (std::size_t k = 0; k < mixture_.dimension; k++) {
      const std::size_t at = j * mixture_.dimension + k;
      const double off = double{x[k]} - mixture_.means[at], v = mixture_.variances[at];
      l -= 0.5 * (off * off / v + std::log(2 * std::numbers::pi * v));
    }
    return l;
  }
  GaussianMixture mixture_;
  ExactStatistics sums_;
};

} // namespace

std::unique_ptr<Expectation> make_expectation_reference(int components, int dimension) {
  return std::make_unique<Reference>(components, dimension);
}

} // namespace vigil::fisher
