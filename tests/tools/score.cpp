// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts and measures against numbers that were worked out by hand.
#include "tools/vigil-eval/score.h"
#include "common/error.h"
#include "tests/unit.h"

#include <cmath>
#include <cstdio>
#include <vector>

using namespace vigil;
using test::expect;
using namespace vigil::eval;

namespace {

bool near(double a, double b) {
  return std::abs(a - b) < 1e-12;
}

Plane<const std::uint8_t> plane(const std::vector<std::uint8_t> &bytes, int width, int height,
                                int stride = 0) {
  return {bytes.data(), width, height, stride ? stride : width};
}

// Each label meets each kind of mask value once.
void labels() {
  //                                      found            shadow or below
  const std::vector<std::uint8_t> truth{0, 50, 85, 170, 255, 0, 50, 85, 170, 255, 255, 254};
  const std::vector<std::uint8_t> mask{255, 255, 255, 255, 255, 0, 127, 0, 127, 127, 254, 255};
  const Counts c = score(plane(mask, 4, 3), plane(truth, 4, 3));
  expect(c == Counts{.tp = 1, .fp = 2, .fn = 2, .tn = 2}, "counts of all labels");
  expect(c.total() == 7, "ignored labels are not in the total");
}

// Rows are longer than the picture, and what lies beyond must not be looked at.
void strides_and_region() {
  const std::vector<std::uint8_t> truth{255, 0, 9, 255, 0, 9};              // 2x2, 3 bytes a row
  const std::vector<std::uint8_t> mask{255, 255, 255, 255, 0, 0, 255, 255}; // 2x2, 4 bytes a row
  const std::vector<std::uint8_t> region{255, 0, 1, 255};
  const auto m = plane(mask, 2, 2, 4), t = plane(truth, 2, 2, 3);
  expect(score(m, t) == Counts{.tp = 1, .fp = 1, .fn = 1, .tn = 1}, "padded rows");
  expect(score(m, t, plane(region, 2, 2)) == Counts{.tp = 1, .fp = 0, .fn = 1, .tn = 1},
         "a region of interest");
}

void measures() {
  const Measures m = measure({.tp = 30, .fp = 10, .fn = 20, .tn = 140});
  expect(near(m.recall, 0.6), "recall");
  expect(near(m.precision, 0.75), "precision");
  expect(near(m.specificity, 140. / 150), "specificity");
  expect(near(m.false_positive_rate, 10. / 150), "false positive rate");
  expect(near(m.f_measure, 2 * 0.6 * 0.75 / (0.6 + 0.75)), "F-measure");
  expect(near(m.pwc, 15), "percentage of wrong classifications");
}

void undefined() {
  const Measures none = measure({});
  expect(std::isnan(none.recall) && std::isnan(none.precision) && std::isnan(none.specificity) &&
             std::isnan(none.f_measure) && std::isnan(none.pwc) && std::isnan(none.false_positive_rate),
         "nothing counted, nothing defined");
  const Measures quiet = measure({.tn = 5});
  expect(std::isnan(quiet.f_measure) && quiet.specificity == 1 && quiet.pwc == 0,
         "an empty scene found empty");
  const Measures missed = measure({.fn = 5, .tn = 5});
  expect(std::isnan(missed.precision) && missed.recall == 0 && missed.f_measure == 0, "all missed");
}

void sums() {
  Counts sum{.tp = 1, .fp = 2, .fn = 3, .tn = 4};
  sum += Counts{.tp = 10, .fp = 20, .fn = 30, .tn = 40};
  expect(sum == Counts{.tp = 11, .fp = 22, .fn = 33, .tn = 44}, "counts add up");
}

void sizes() {
  const std::vector<std::uint8_t> bytes(6);
  const auto refused = [](auto &&call) {
    try {
      call();
    } catch (const Error &e) {
      return e.kind() == Error::Kind::bad_data;
    }
    return false;
  };
  expect(refused([&] { score(plane(bytes, 3, 2), plane(bytes, 2, 3)); }),
         "a mask of another size is refused");
  expect(refused([&] { score(plane(bytes, 3, 2), plane(bytes, 3, 2), plane(bytes, 2, 2)); }),
         "a region of another size is refused");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"labels", labels},     {"strides and region", strides_and_region},
      {"measures", measures}, {"undefined", undefined},
      {"sums", sums},         {"sizes", sizes},
  };
  return vigil::test::run_cases("tools score", cases);
}
