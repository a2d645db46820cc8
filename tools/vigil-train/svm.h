// SPDX-License-Identifier: LGPL-2.1-or-later
// Linear support vector machines, one class against the rest, by liblinear (Fan et al. 2008): L2-regularised,
// squared hinge loss.
//
// Fisher vectors are much longer than there are examples, so the machine is trained in the space that the
// examples span: the rows of the Cholesky factor of their Gram matrix have the same inner products, and so
// the same machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vigil::train {

struct Machine {
  std::vector<double> weights; // in the space of the factor
  double bias = 0;
};

class Examples {
 public:
  // `rows` is count x length; it must outlive this.
  Examples(std::span<const float> rows, std::size_t count, std::size_t length);
  std::size_t count() const { return count_; }

  // Learns from the examples in `chosen` alone; positive[i] is of example i. The rarer kind's errors weigh as
  // much more as it is rarer. Deterministic.
  Machine train(std::span<const std::size_t> chosen, std::span<const char> positive, double c) const;
  double score(const Machine &, std::size_t example) const;
  // The machine's weights for vectors of the full length.
  std::vector<float> weights_of(const Machine &) const;

 private:
  std::span<const float> rows_;
  std::size_t count_, length_;
  std::vector<double> factor_; // count x count, lower triangular, row by row
};

// A number of a part, 0..folds-1, for each example: within each class the examples are cut into runs in their
// order, so that frames that follow each other, which are nearly the same, are rarely on both sides.
std::vector<int> fold_of(std::span<const int> classes, int folds);

// The score of each example by a machine that was trained without the example's fold.
std::vector<double> cross_scores(const Examples &, std::span<const int> folds, int fold_count,
                                 std::span<const char> positive, double c);

} // namespace vigil::train
