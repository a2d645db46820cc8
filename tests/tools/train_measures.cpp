// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-train's measures, compared with values that were worked out by hand.
#include "tests/unit.h"
#include "tools/vigil-train/measures.h"

#include <cmath>
#include <limits>

using namespace vigil;
using test::expect;

namespace {

bool near(double a, double b) {
  return std::abs(a - b) < 1e-12;
}

// Positives at ranks 1, 3 and 5 of six: precision 1, 2/3, 3/5 at the recalls 1/3, 2/3, 1.
void three_of_six() {
  const std::vector<double> scores{0.2, 0.9, 0.5, 0.7, 0.1, 0.6};
  const std::vector<char> positive{1, 1, 0, 0, 0, 1};
  const train::Curve c = train::measure(scores, positive);
  expect(near(c.average_precision, (1 + 2. / 3 + 3. / 5) / 3), "the area under precision and recall");
  // recalls 0 to 0.3 have precision 1, 0.4 to 0.6 2/3, 0.7 to 1 3/5
  expect(near(c.average_precision_11, (4 + 3 * 2. / 3 + 4 * 3. / 5) / 11), "eleven points");
  expect(near(c.auc, 6. / 9), "the area under the ROC curve"); // pairs in order: 3 + 2 + 1
}

// A later, higher precision counts for lower recalls too, but not in the area without interpolation.
void interpolated() {
  const std::vector<double> scores{4, 3, 2, 1};
  const std::vector<char> positive{0, 1, 1, 1};
  const train::Curve c = train::measure(scores, positive);
  expect(near(c.average_precision_11, 3. / 4), "the highest precision at a higher recall");
  expect(near(c.average_precision, (1. / 2 + 2. / 3 + 3. / 4) / 3), "the area is not interpolated");
}

// Ten positives: recalls are tenths, which are not exact in binary.
void tenths() {
  std::vector<double> scores;
  std::vector<char> positive;
  for (int i = 0; i < 20; i++) { // one of two is positive: precision 1, 2/3, 3/5, ... 10/19
    scores.push_back(-i);
    positive.push_back(i % 2 == 0);
  }
  double want = 1; // of recall 0
  for (int k = 1; k <= 10; k++) want += double(k) / (2 * k - 1);
  expect(near(train::measure(scores, positive).average_precision_11, want / 11), "recalls of tenths");
}

void ties_are_one_step() {
  const std::vector<double> scores{1, 1, 1, 1};
  const std::vector<char> positive{1, 0, 0, 0};
  const train::Curve c = train::measure(scores, positive);
  expect(c.steps.size() == 1, "one step");
  expect(near(c.average_precision, 0.25) && near(c.average_precision_11, 0.25), "chance, by both measures");
}

void without_positives() {
  const std::vector<double> scores{1, 2};
  const std::vector<char> positive{0, 0};
  const train::Curve c = train::measure(scores, positive);
  expect(std::isnan(c.average_precision) && std::isnan(c.average_precision_11), "no number");
  const std::vector<double> some{0.5, std::numeric_limits<double>::quiet_NaN(), 1};
  expect(near(train::mean_of(some), 0.75), "the mean of what there is");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"three of six", three_of_six},           {"interpolated", interpolated},           {"tenths", tenths},
      {"ties are one step", ties_are_one_step}, {"without positives", without_positives},
  };
  return vigil::test::run_cases("tools train measures", cases);
}
