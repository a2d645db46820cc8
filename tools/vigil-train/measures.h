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
  // Sum of precision times the step in recall, without interpolation: the area under the curve of precision
  // over recall. NaN without positives, as the next.
  double average_precision = 0;
  // As for VOC2007 (Everingham et al., "The PASCAL Visual Object Classes Challenge", IJCV 2010, equations 1
  // and 2): the mean, over the recalls 0, 0.1, ... 1, of the highest precision at that recall or a higher
  // one.
  double average_precision_11 = 0;
};
// auc is NaN where either kind is missing.
Curve measure(std::span<const double> scores, std::span<const char> positive);

// The mean of the values that are numbers; NaN when there is none.
double mean_of(std::span<const double> values);

struct Event {
  std::size_t begin, end; // indices of the first sample of the event and of the first after it
};
// An event begins at a score >= begin and ends at one < end.
std::vector<Event> find_events(std::span<const double> scores, double begin, double end);

} // namespace vigil::train
