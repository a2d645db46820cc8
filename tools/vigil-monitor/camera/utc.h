// SPDX-License-Identifier: LGPL-2.1-or-later
// Seconds since 1970 UTC from the monotonic clock and an offset: within an event time never goes back. The
// offset is taken again when the system's clock was set by more than a second, and told once then.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <mutex>

namespace vigil::monitor {

class Utc {
 public:
  using Clock = std::function<double()>;
  explicit Utc(Clock system = system_seconds, Clock monotonic = monotonic_seconds)
      : system_(system), monotonic_(monotonic), offset_(system() - monotonic()) {}

  double now() const {
    const std::lock_guard guard(lock_);
    return monotonic_() + offset_;
  }
  // A time of now() on the monotonic clock, which nobody sets.
  double steady(double utc) const {
    const std::lock_guard guard(lock_);
    return utc - offset_;
  }
  // Called now and then; returns by how many seconds the clock was set, 0 for not.
  double re_anchor() {
    const std::lock_guard guard(lock_);
    const double change = system_() - monotonic_() - offset_;
    constexpr double step = 1; // less is slewed in, as the system's clock itself is
    offset_ += change;
    return std::abs(change) > step ? change : 0;
  }

  static double system_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
  static double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  const Clock system_, monotonic_;
  mutable std::mutex lock_;
  double offset_;
};

} // namespace vigil::monitor
