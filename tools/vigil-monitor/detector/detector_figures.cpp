// SPDX-License-Identifier: LGPL-2.1-or-later
#include "detector_figures.h"

#include <algorithm>

namespace vigil::monitor {

void DetectorFigures::add(const Inference &i) {
  if (seconds_.size() < remembered)
    seconds_.push_back(i.seconds);
  else
    seconds_[inferences_ % remembered] = i.seconds;
  inferences_++;
  cpu_seconds_ += i.cpu_seconds;
  refused_ += i.refused;
  named_ += i.named;
}

nlohmann::json DetectorFigures::describe() const {
  nlohmann::json median;
  if (auto sorted = seconds_; !sorted.empty()) {
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    median = *middle;
  }
  return {{"inferences", inferences_},   {"named", named_},
          {"refused", refused_},         {"left_out", left_out_},
          {"cpu_seconds", cpu_seconds_}, {"inference_seconds", median}};
}

} // namespace vigil::monitor
