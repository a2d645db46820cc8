// SPDX-License-Identifier: LGPL-2.1-or-later
// Logistic regression with an offset for each example, shrunk towards the offset alone, that some wrong
// labels cannot bend: P(yes | x) = e + (1 - 2 e) sigmoid(offset + w x + b), e the share of labels that are
// taken to be wrong by mistake, so that a single example's influence has a limit and falls again as it
// contradicts the others more. Fitted by expectation and maximisation, with Newton steps.
//
// Not liblinear, which vigil-train uses: it has neither offsets nor weights of single examples, its rand() is
// the process's, and answers of "what would it say had this example not been taught" would need a fit each.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::label {

struct LogisticSettings {
  double shrinkage = 1;      // of w: 1 / variance of its prior
  double bias_shrinkage = 1; // of b
  double wrong = 0.1;        // the e above, 0..0.4
};

struct LogisticExamples {
  std::size_t length = 0;         // of a row
  std::vector<float> rows;        // count x length
  std::vector<double> offsets;    // of the logit, count
  std::vector<double> importance; // >= 0, count
  std::vector<char> yes;          // count
  std::size_t count() const { return yes.size(); }
  std::span<const float> row(std::size_t i) const { return {rows.data() + i * length, length}; }
};

struct Logistic {
  std::vector<double> weights;
  double bias = 0;
  double logit(std::span<const float> row, double offset) const;
};

struct LogisticFit {
  Logistic model;
  // For each example the logit had it not been there, to first order: exact for the model without wrong
  // labels in the limit of many examples.
  std::vector<double> left_out;
};

inline constexpr std::size_t none_left_out = static_cast<std::size_t>(-1);
// `without`: an example that is taken to be missing. `with_left_out`: fills LogisticFit::left_out.
LogisticFit fit(const LogisticExamples &, const LogisticSettings &, std::size_t without = none_left_out,
                bool with_left_out = false);

double sigmoid(double logit);
double logit(double probability); // of 0..1, limited to +-6

} // namespace vigil::label
