// SPDX-License-Identifier: LGPL-2.1-or-later
// Seconds since 1970 UTC from the monotonic clock and an offset: from one frame to the next time never goes
// back. The offset is taken again when the clock of the system was set by over a second, and reported once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <mutex>

namespace vigil::monitor {

class Utc {
 public:
  using Clock = std::function<double()>;
  explicit Utc(Clock system = system_seconds, Clock monotonic = monotonic_seconds)
      : system_(system), monotonic_(monotonic), offset_(measured_offset()) {}

  double now() const {
    const std::lock_guard guard(lock_);
    return monotonic_() + offset_;
  }
  double monotonic() const { return monotonic_(); }
  // A time of now() on the monotonic clock, which nobody sets.
  double steady(double utc) const {
    const std::lock_guard guard(lock_);
    return utc - offset_;
  }
  // Called once a second; returns by how many seconds the clock was set, 0 for not.
  double re_anchor() {
    const double measured = measured_offset();
    const std::lock_guard guard(lock_);
    const double change = measured - offset_;
    constexpr double step = 1, slewed = 0.01; // of less than a step 10 ms a second, less than between frames
    const bool set = std::abs(change) > step;
    offset_ += set ? change : std::clamp(change, -slewed, slewed);
    return set ? change : 0;
  }

  static double system_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
  static double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  // The system's clock less the monotonic one. On a busy machine the thread may have to wait between two
  // readings, so the system's clock is read between two of the other until these are close together.
  double measured_offset() const {
    constexpr double close = 0.001;
    constexpr int most_tries = 10;
    double least = 0, offset = 0;
    for (int i = 0; i < most_tries && (i == 0 || least > close); i++) {
      const double before = monotonic_(), system = system_(), after = monotonic_();
      if (i > 0 && after - before >= least) continue;
      least = after - before;
      offset = system - (before + after) / 2;
    }
    return offset;
  }

  const Clock system_, monotonic_;
  mutable std::mutex lock_;
  double offset_;
};

} // namespace vigil::monitor
