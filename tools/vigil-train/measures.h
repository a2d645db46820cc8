// SPDX-License-Identifier: LGPL-2.1-or-later
// How well scores tell positive from negative examples, and events found by a threshold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vigil::train {

struct RocStep {
  double threshold, false_positive_rate, true_positive_rate, precision; // of scores >= threshold
};
struct Curve {
  std::vector<RocStep> steps; // by falling threshold, one a different score
  double auc = 0; // area under the receiver operating characteristic, ties count half (Fawcett 2006)
  double average_precision = 0; // sum of precision times the step in recall, without interpolation
};
// NaN where either kind is missing.
Curve measure(std::span<const double> scores, std::span<const char> positive);

struct Event {
  std::size_t begin, end; // indices of the first sample of the event and of the first after it
};
// An event begins at a score >= begin and ends at one < end.
std::vector<Event> find_events(std::span<const double> scores, double begin, double end);

} // namespace vigil::train
