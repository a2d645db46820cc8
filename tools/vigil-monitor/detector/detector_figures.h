// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts and times of one detector, as GET /api/stats has them. Its owner locks it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace vigil::monitor {

class DetectorFigures {
 public:
  // An inference that came to its end: seconds by the clock and of the processor, whether its answer could
  // be read, and whether that named the track.
  struct Inference {
    double seconds = 0, cpu_seconds = 0;
    bool refused = false, named = false;
  };
  void add(const Inference &);
  void leave_out() { left_out_++; }

  std::uint64_t refused() const { return refused_; }
  nlohmann::json describe() const;

 private:
  static constexpr std::size_t remembered = 99; // inferences, for the median
  std::uint64_t inferences_ = 0, named_ = 0, refused_ = 0, left_out_ = 0;
  double cpu_seconds_ = 0;
  std::vector<double> seconds_; // of the last ones; the oldest is overwritten
};

inline void DetectorFigures::add(const Inference &i) {
  if (seconds_.size() < remembered)
    seconds_.push_back(i.seconds);
  else
    seconds_[inferences_ % remembered] = i.seconds;
  inferences_++;
  cpu_seconds_ += i.cpu_seconds;
  refused_ += i.refused;
  named_ += i.named;
}

inline nlohmann::json DetectorFigures::describe() const {
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
