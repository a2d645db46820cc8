// SPDX-License-Identifier: LGPL-2.1-or-later
#include "svm.h"

#include "common/error.h"
#include "interrupt.h"
#include "matrix.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cstdlib>
#include <linear.h>
#include <map>
#include <memory>
#include <oneapi/tbb/parallel_for.h>

namespace vigil::train {
namespace {

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index index(std::size_t n) {
  return static_cast<Eigen::Index>(n);
}

// Inner products of the examples, by square tiles, each element summed in one order.
Square gram(MatrixView x) {
  constexpr std::size_t tile = 64;
  const std::size_t n = x.rows, tiles = (n + tile - 1) / tile;
  Square k(index(n), index(n));
  oneapi::tbb::parallel_for(std::size_t{0}, tiles * tiles, [&](std::size_t t) {
    const std::size_t a = t / tiles * tile, b = t % tiles * tile;
    if (b > a) return;
    Matrix product;
    multiply({x.values + a * x.columns, std::min(tile, n - a), x.columns},
             {x.values + b * x.columns, std::min(tile, n - b), x.columns}, Transpose::b, product);
    for (std::size_t i = 0; i < product.rows; i++)
      for (std::size_t j = 0; j < product.columns; j++)
        k(index(a + i), index(b + j)) = k(index(b + j), index(a + i)) = double{product.row(i)[j]};
  });
  return k;
}

struct ModelRelease {
  void operator()(model *m) const { free_and_destroy_model(&m); }
};

} // namespace

Examples::Examples(std::span<const float> rows, std::size_t count, std::size_t length)
    : rows_(rows), count_(count), length_(length) {
  constexpr std::size_t most = 20000; // 3.2 GB of inner products
  if (count > most)
    fail(Error::Kind::bad_setting, count, " examples are more than the ", most,
         " that can be used: take fewer frames with --every");
  Square k = gram({rows.data(), count, length});
  k.diagonal().array() +=
      1e-6 * k.trace() / static_cast<double>(std::max<std::size_t>(count, 1)); // against rounding
  const Eigen::LLT<Square> cholesky(k);
  if (cholesky.info() != Eigen::Success) fail(Error::Kind::bad_data, "the examples' vectors are not finite");
  const Square lower = cholesky.matrixL();
  factor_.assign(lower.data(), lower.data() + lower.size());
}

Machine Examples::train(std::span<const std::size_t> chosen, std::span<const char> positive, double c) const {
  stop_if_interrupted();
  std::vector<feature_node> nodes;
  std::vector<std::size_t> starts;
  std::vector<double> y;
  double positives = 0;
  nodes.reserve(chosen.size() * (count_ + 2) / 2);
  for (const std::size_t i : chosen) {
    starts.push_back(nodes.size());
    for (std::size_t k = 0; k <= i; k++) nodes.push_back({static_cast<int>(k) + 1, factor_[i * count_ + k]});
    nodes.push_back({static_cast<int>(count_) + 1, 1}); // the bias
    nodes.push_back({-1, 0});
    y.push_back(positive[i] ? 1 : -1);
    positives += positive[i];
  }
  const double negatives = static_cast<double>(chosen.size()) - positives;
  if (positives == 0 || negatives == 0)
    fail(Error::Kind::bad_data, "a machine needs examples of two kinds, there are ", positives,
         " positive and ", negatives, " negative ones");
  std::vector<feature_node *> x;
  for (const std::size_t s : starts) x.push_back(nodes.data() + s);
  problem p{};
  p.l = static_cast<int>(chosen.size());
  p.n = static_cast<int>(count_) + 1;
  p.y = y.data();
  p.x = x.data();
  p.bias = 1;
  int kinds[] = {1, -1};
  const double rarer = std::min(positives, negatives);
  double factors[] = {negatives / rarer, positives / rarer};
  parameter settings{};
  settings.solver_type = L2R_L2LOSS_SVC_DUAL;
  settings.C = c;
  settings.eps = 0.01;
  settings.nr_weight = 2;
  settings.weight_label = kinds;
  settings.weight = factors;
  std::srand(1); // liblinear shuffles by rand()
  set_print_string_function([](const char *) {});
  const std::unique_ptr<model, ModelRelease> m(::train(&p, &settings));
  const double sign = m->label[0] == 1 ? 1 : -1;
  Machine machine{{m->w, m->w + count_}, sign * m->w[count_]};
  for (double &w : machine.weights) w *= sign;
  return machine;
}

double Examples::score(const Machine &m, std::size_t example) const {
  double sum = m.bias;
  for (std::size_t k = 0; k <= example; k++) sum += factor_[example * count_ + k] * m.weights[k];
  return sum;
}

std::vector<float> Examples::weights_of(const Machine &m) const {
  // rows = factor * basis, so weights = basis^T v = rows^T factor^-T v
  const Eigen::Map<const Square> lower(factor_.data(), index(count_), index(count_));
  const Eigen::Map<const Eigen::VectorXd> v(m.weights.data(), index(count_));
  const Eigen::VectorXd alpha = lower.transpose().triangularView<Eigen::Upper>().solve(v);
  std::vector<float> out(length_);
  oneapi::tbb::parallel_for(std::size_t{0}, length_, [&](std::size_t k) {
    double sum = 0;
    for (std::size_t i = 0; i < count_; i++) sum += alpha[index(i)] * double{rows_[i * length_ + k]};
    out[k] = static_cast<float>(sum);
  });
  return out;
}

std::vector<int> fold_of(std::span<const int> classes, int folds) {
  std::map<int, std::size_t> total, seen;
  for (const int c : classes) total[c]++;
  std::vector<int> out;
  for (const int c : classes)
    out.push_back(static_cast<int>(seen[c]++ * static_cast<std::size_t>(folds) / total[c]));
  return out;
}

std::vector<double> cross_scores(const Examples &examples, std::span<const int> folds, int fold_count,
                                 std::span<const char> positive, double c) {
  std::vector<double> scores(examples.count());
  for (int f = 0; f < fold_count; f++) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < examples.count(); i++)
      if (folds[i] != f) others.push_back(i);
    const Machine m = examples.train(others, positive, c);
    for (std::size_t i = 0; i < examples.count(); i++)
      if (folds[i] == f) scores[i] = examples.score(m, i);
  }
  return scores;
}

} // namespace vigil::train
