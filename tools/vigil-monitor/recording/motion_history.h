// SPDX-License-Identifier: LGPL-2.1-or-later
// How much moved when, for the strip of the timeline.
#pragma once

#include <string>
#include <vector>

namespace vigil::monitor {

class MotionHistory {
 public:
  virtual ~MotionHistory() = default;
  // On any thread. From 0 to 1 for each step from `from` on until before `to`; times in seconds since 1970
  // UTC. Empty where nothing is known.
  virtual std::vector<float> levels(const std::string &camera, double from, double to, double step) const = 0;
};

class NoMotionHistory : public MotionHistory {
 public:
  std::vector<float> levels(const std::string &, double, double, double) const override { return {}; }
};

} // namespace vigil::monitor
