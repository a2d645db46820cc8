// SPDX-License-Identifier: LGPL-2.1-or-later
#include "measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace vigil::train {

namespace {

double eleven_points(const std::vector<RocStep> &steps) {
  constexpr int intervals = 10;
  constexpr double rounding = 1e-12; // recalls are quotients of whole numbers, tenths are not exact
  double sum = 0, most = 0;
  auto step = steps.rbegin();
  for (int i = intervals; i >= 0; i--) {
    for (; step != steps.rend() && step->true_positive_rate >= double(i) / intervals - rounding; ++step)
      most = std::max(most, step->precision);
    sum += most;
  }
  return sum / (intervals + 1);
}

} // namespace

Curve measure(std::span<const double> scores, std::span<const char> positive) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  const auto positives = static_cast<double>(std::count(positive.begin(), positive.end(), char{1}));
  const double negatives = static_cast<double>(positive.size()) - positives;
  Curve curve;
  double tp = 0, fp = 0;
  for (std::size_t i = 0; i < order.size();) {
    const double score = scores[order[i]], tp_before = tp, fp_before = fp;
    for (; i < order.size() && scores[order[i]] == score; i++) (positive[order[i]] ? tp : fp)++;
    curve.steps.push_back({score, fp / negatives, tp / positives, tp / (tp + fp)});
    curve.auc += (fp - fp_before) * (tp + tp_before) / 2;
    curve.average_precision += (tp - tp_before) / positives * tp / (tp + fp);
  }
  curve.auc /= positives * negatives; // 0 / 0 is NaN
  if (positives == 0)
    curve.average_precision = curve.average_precision_11 = std::numeric_limits<double>::quiet_NaN();
  else
    curve.average_precision_11 = eleven_points(curve.steps);
  return curve;
}

double mean_of(std::span<const double> values) {
  double sum = 0, count = 0;
  for (const double v : values)
    if (!std::isnan(v)) {
      sum += v;
      count++;
    }
  return sum / count; // 0 / 0 is NaN
}

std::vector<Event> find_events(std::span<const double> scores, double begin, double end) {
  std::vector<Event> events;
  bool inside = false;
  for (std::size_t i = 0; i < scores.size(); i++) {
    if (!inside && scores[i] >= begin) {
      events.push_back({i, scores.size()});
      inside = true;
    } else if (inside && scores[i] < end) {
      events.back().end = i;
      inside = false;
    }
  }
  return events;
}

} // namespace vigil::train
