// SPDX-License-Identifier: LGPL-2.1-or-later
// From a changed fraction per frame to the begin and end of motion, with hysteresis in level and time: motion
// begins when the fraction reaches `threshold`, and ends when it has been below half of that for `hold`.
#pragma once

#include <gst/gst.h>

namespace vigil::gst {

class Motion {
 public:
  enum class Change { none, begin, end };

  // `now`: the frame's time, GST_CLOCK_TIME_NONE counts as the time of the frame before.
  Change step(double fraction, double threshold, GstClockTime hold, GstClockTime now) {
    if (!GST_CLOCK_TIME_IS_VALID(now)) now = last_;
    if (now < last_) quiet_since_ = now; // time was set back, by a seek
    last_ = now;
    const bool above = fraction > 0 && fraction >= threshold;
    if (!moving_) {
      if (!above) return Change::none;
      moving_ = true;
      quiet_since_ = now;
      return Change::begin;
    }
    if (above || fraction > threshold / 2) {
      quiet_since_ = now;
      return Change::none;
    }
    if (now - quiet_since_ < hold) return Change::none;
    moving_ = false;
    return Change::end;
  }
  // The stream is over: end when there was motion.
  Change stop() {
    const bool was = moving_;
    moving_ = false;
    return was ? Change::end : Change::none;
  }
  bool moving() const { return moving_; }

 private:
  bool moving_ = false;
  GstClockTime last_ = 0, quiet_since_ = 0;
};

} // namespace vigil::gst
