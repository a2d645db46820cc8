// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/fisher/smoothing.h"

#include <algorithm>

namespace vigil::fisher {

float Smoother::step(float score, int window, int baseline) {
  const auto most = std::size_t(std::max({window, baseline, 1}));
  scores_.push_back(score);
  while (scores_.size() > most) scores_.pop_front();
  fresh_ = std::min(fresh_ + 1, scores_.size());

  const auto last = [&](std::size_t wanted) {
    sorted_.assign(scores_.end() - std::ptrdiff_t(std::min(scores_.size(), wanted)), scores_.end());
  };
  last(std::min(std::size_t(std::max(window, 1)), fresh_));
  const auto middle = sorted_.begin() + std::ptrdiff_t(sorted_.size() / 2);
  std::nth_element(sorted_.begin(), middle, sorted_.end());
  float smoothed = *middle;
  if (sorted_.size() % 2 == 0) smoothed = 0.5f * (smoothed + *std::max_element(sorted_.begin(), middle));
  if (baseline <= 0) return smoothed;

  last(std::size_t(baseline));
  const auto quartile = sorted_.begin() + std::ptrdiff_t((sorted_.size() - 1) / 4);
  std::nth_element(sorted_.begin(), quartile, sorted_.end());
  return smoothed - *quartile;
}

} // namespace vigil::fisher
