// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/gpufisher/events.h"

#include <algorithm>

namespace vigil::gst::gpufisher {
namespace {

float median(std::vector<float> &v) {
  const auto middle = v.begin() + std::ptrdiff_t(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  if (v.size() % 2) return *middle;
  return 0.5f * (*middle + *std::max_element(v.begin(), middle));
}

} // namespace

void Events::step(std::span<const float> scores, int window, const fisher::Classifier &thresholds,
                  float offset) {
  for (std::size_t c = 0; c < classes_.size(); c++) {
    Class &k = classes_[c];
    k.scores.push_back(scores[c]);
    while (k.scores.size() > std::size_t(window)) k.scores.pop_front();
    sorted_.assign(k.scores.begin(), k.scores.end());
    k.smoothed = median(sorted_);
    k.change = Change::none;
    if (!k.active && k.smoothed >= thresholds.begin[c] + offset)
      k.change = Change::begin;
    else if (k.active && k.smoothed < thresholds.end[c] + offset)
      k.change = Change::end;
    if (k.change != Change::none) k.active = !k.active;
  }
}

void Events::stop() {
  for (Class &k : classes_) {
    k.change = k.active ? Change::end : Change::none;
    k.active = false;
    k.scores.clear();
  }
}

void Events::forget() {
  for (Class &k : classes_) k.scores.clear();
}

} // namespace vigil::gst::gpufisher
