// SPDX-License-Identifier: LGPL-2.1-or-later
// Lets so many frames a second through to the chain, by the stream's time (detect: {fps: N}).
//
// The n-th frame that passes is due n / N seconds after the first. A frame passes if it comes at most half a
// period before it is due. So a camera whose frames come unevenly loses none where N is its own rate. After
// a gap, and where the time goes back, the next frame is due at once.
#pragma once

#include <atomic>
#include <cmath>

namespace vigil::monitor {

class RateGate {
 public:
  // 0: all frames pass.
  explicit RateGate(double per_second) : period_(per_second > 0 ? 1 / per_second : 0) {}

  // For each frame in the order in which they are shown. `time`: in seconds; NaN, not known, passes.
  bool passes(double time) {
    if (period_ <= 0 || std::isnan(time)) return true;
    const double due = due_;
    if (std::isnan(due) || std::abs(time - due) > 2 * period_) { // the first, after a gap, or back in time
      due_ = time + period_;
      return true;
    }
    if (time < due - early()) return false;
    due_ = due + period_;
    return true;
  }
  // Whether passes() will say no to a frame of this time, which is not decoded yet. From any thread.
  bool will_drop(double time) const {
    const double due = due_;
    return period_ > 0 && time < due - early() && time > due - 2 * period_; // NaN: false
  }
  // Seconds that a frame may come before it is due. Of frames that are nowhere farther apart than twice this,
  // as many pass as of all. 0: all frames pass.
  double early() const { return period_ / 2; }

 private:
  const double period_;                    // seconds
  std::atomic<double> due_ = std::nan(""); // of the next frame
};

} // namespace vigil::monitor
