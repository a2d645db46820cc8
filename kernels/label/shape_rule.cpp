// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/shape_rule.h"

#include "kernels/label/logistic.h"

#include <algorithm>
#include <cmath>

namespace vigil::label {
namespace {

// Mean and deviation of each feature.
struct Scale {
  double mean, deviation;
};
constexpr Scale scales[feature_count] = {
    {0.3, 0.6},  {0.15, 0.12}, {-2.2, 0.7}, {0, 0.5},   {-0.5, 1},   {0, 0.6},
    {0.7, 0.25}, {0.85, 0.2},  {1, 1},      {0.3, 0.2}, {0.6, 0.12}, {0.2, 0.5},
};

} // namespace

const char *name_of(Shape s) {
  static constexpr const char *names[shape_count] = {"person", "vehicle", "other"};
  return names[static_cast<std::size_t>(s)];
}

float standardised(const Features &f, Feature which) {
  const auto i = static_cast<std::size_t>(which);
  if (!std::isfinite(f[i])) return 0;
  constexpr double most = 3;
  return static_cast<float>(std::clamp((double{f[i]} - scales[i].mean) / scales[i].deviation, -most, most));
}

ShapeScores shape_scores(const Features &f) {
  // Fitted (see shape_rule.h): upright, loosely filled, small and with a rhythm is a person. The size counts
  // up to a limit alone: a person who stands before the camera is large, too.
  const double size = std::clamp(double{standardised(f, Feature::size)}, -1., 1.);
  const double person = sigmoid(0.87 * double{standardised(f, Feature::aspect)} -
                                0.08 * double{standardised(f, Feature::aspect_change)} -
                                1.18 * double{standardised(f, Feature::filled)} +
                                0.58 * double{standardised(f, Feature::rhythm)} - 1.22 * size + 0.55);
  // Chosen: scattered over its box; very flat; less of both, as the long shadow of a person in the morning
  // is; or never getting anywhere.
  const auto below = [&](Feature which, double limit) {
    const double v = double{get(f, which)};
    return std::isfinite(v) ? std::max(0., limit - v) : 0;
  };
  const double other = sigmoid(-3 + 12 * below(Feature::filled, 0.45) + 4 * below(Feature::aspect, -0.9) +
                               250 * below(Feature::filled, 0.5) * below(Feature::aspect, -0.4) +
                               2 * below(Feature::travel, -1.2));
  // No person is much wider than high: what would be one is other then, and as much a vehicle as before.
  const double upright = std::exp(-6 * below(Feature::aspect, -0.4));
  return {(1 - other) * person * upright, (1 - other) * (1 - person),
          other + (1 - other) * person * (1 - upright)};
}

Shape likeliest(const ShapeScores &s) {
  return static_cast<Shape>(std::max_element(s.begin(), s.end()) - s.begin());
}

} // namespace vigil::label
