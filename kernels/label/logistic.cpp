// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/logistic.h"

#include <algorithm>
#include <cmath>

namespace vigil::label {
namespace {

// A symmetric positive matrix, its lower triangle, and its Cholesky factor in the same place.
class Normal {
 public:
  explicit Normal(std::size_t n) : n_(n), a_(n * n) {}
  void add(std::span<const double> x, double factor) {
    for (std::size_t i = 0; i < n_; i++) {
      const double xi = factor * x[i];
      double *to = a_.data() + i * n_;
      for (std::size_t j = 0; j <= i; j++) to[j] += xi * x[j];
    }
  }
  void add_diagonal(std::size_t i, double v) { a_[i * n_ + i] += v; }
  void factor() {
    for (std::size_t i = 0; i < n_; i++)
      for (std::size_t j = 0; j <= i; j++) {
        double sum = a_[i * n_ + j];
        for (std::size_t k = 0; k < j; k++) sum -= a_[i * n_ + k] * a_[j * n_ + k];
        a_[i * n_ + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a_[j * n_ + j];
      }
  }
  // x := L^-1 x, whose square is x' A^-1 x
  void forward(std::span<double> x) const {
    for (std::size_t i = 0; i < n_; i++) {
      for (std::size_t k = 0; k < i; k++) x[i] -= a_[i * n_ + k] * x[k];
      x[i] /= a_[i * n_ + i];
    }
  }
  void solve(std::span<double> x) const {
    forward(x);
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t k = i + 1; k < n_; k++) x[i] -= a_[k * n_ + i] * x[k];
      x[i] /= a_[i * n_ + i];
    }
  }

 private:
  std::size_t n_;
  std::vector<double> a_;
};

class Fitter {
 public:
  Fitter(const LogisticExamples &e, const LogisticSettings &s, std::size_t without)
      : examples_(e), settings_(s), without_(without), n_(e.length + 1), normal_(n_), w_(n_), x_(n_),
        targets_(e.count()) {}

  LogisticFit run(bool with_left_out) {
    for (std::size_t i = 0; i < examples_.count(); i++) targets_[i] = examples_.yes[i] ? 1 : 0;
    newton(8); // as if all labels were right
    constexpr int rounds = 6;
    for (int r = 0; r < rounds && settings_.wrong > 0; r++) {
      expect();
      newton(3);
    }
    LogisticFit out;
    out.model.weights.assign(w_.begin(), w_.end() - 1);
    out.model.bias = w_.back();
    if (with_left_out) leave_out(out.left_out);
    return out;
  }

 private:
  double load(std::size_t i) { // the row and 1 into x_; gives its logit
    const auto row = examples_.row(i);
    double z = examples_.offsets[i];
    for (std::size_t k = 0; k + 1 < n_; k++) {
      x_[k] = double{row[k]};
      z += x_[k] * w_[k];
    }
    x_[n_ - 1] = 1;
    return z + w_[n_ - 1];
  }
  // How likely each label is the right one, given what the others say.
  void expect() {
    const double e = settings_.wrong;
    for (std::size_t i = 0; i < examples_.count(); i++) {
      const double p = sigmoid(load(i)), said = examples_.yes[i] ? p : 1 - p;
      const double right = (1 - e) * said / ((1 - e) * said + e * (1 - said));
      targets_[i] = examples_.yes[i] ? right : 1 - right;
    }
  }
  void newton(int most) {
    std::vector<double> gradient(n_);
    for (int step = 0; step < most; step++) {
      normal_ = Normal(n_);
      for (std::size_t k = 0; k < n_; k++) {
        const double shrink = k + 1 < n_ ? settings_.shrinkage : settings_.bias_shrinkage;
        gradient[k] = -shrink * w_[k];
        normal_.add_diagonal(k, shrink);
      }
      for (std::size_t i = 0; i < examples_.count(); i++) {
        if (i == without_ || examples_.importance[i] <= 0) continue;
        const double p = sigmoid(load(i)), c = examples_.importance[i];
        for (std::size_t k = 0; k < n_; k++) gradient[k] += c * (targets_[i] - p) * x_[k];
        // Never flatter than this: a step from far out would overshoot.
        normal_.add(x_, c * std::max(p * (1 - p), 0.02));
      }
      normal_.factor();
      normal_.solve(gradient);
      double change = 0;
      for (std::size_t k = 0; k < n_; k++) {
        w_[k] += gradient[k];
        change = std::max(change, std::abs(gradient[k]));
      }
      if (change < 1e-4) break;
    }
  }
  void leave_out(std::vector<double> &out) {
    out.resize(examples_.count());
    for (std::size_t i = 0; i < examples_.count(); i++) {
      const double z = load(i), p = sigmoid(z), c = examples_.importance[i];
      normal_.forward(x_);
      double h = 0;
      for (const double v : x_) h += v * v;
      const double own = std::min(0.95, c * h * std::max(p * (1 - p), 0.02));
      out[i] = z - h * c * (targets_[i] - p) / (1 - own);
    }
  }

  const LogisticExamples &examples_;
  const LogisticSettings settings_;
  const std::size_t without_, n_;
  Normal normal_;
  std::vector<double> w_, x_, targets_;
};

} // namespace

double sigmoid(double z) {
  return 1 / (1 + std::exp(-z));
}

double logit(double p) {
  constexpr double most = 6;
  return std::clamp(std::log(std::max(p, 1e-9) / std::max(1 - p, 1e-9)), -most, most);
}

double Logistic::logit(std::span<const float> row, double offset) const {
  double z = offset + bias;
  for (std::size_t k = 0; k < weights.size(); k++) z += weights[k] * double{row[k]};
  return z;
}

LogisticFit fit(const LogisticExamples &e, const LogisticSettings &s, std::size_t without,
                bool with_left_out) {
  return Fitter(e, s, without).run(with_left_out);
}

} // namespace vigil::label
