// SPDX-License-Identifier: LGPL-2.1-or-later
// From a changed fraction per frame to the begin and end of motion, with hysteresis in level and time: motion
// begins when the fraction has reached motion-threshold and has not been below half of that since for
// motion-delay, and ends when it has been below half of it for motion-hold. Where frames come at least
// motion-delay apart, one frame is enough.
#pragma once

#include "gst/metadata/motion_settings.h"

#include <algorithm>
#include <array>
#include <gst/gst.h>
#include <utility>

namespace vigil::gst {

class Motion {
 public:
  enum class Change { none, begin, end };

  // `now`: the frame's time, GST_CLOCK_TIME_NONE counts as the time of the frame before.
  Change step(double fraction, const MotionSettings &settings, GstClockTime now) {
    const double threshold = settings.threshold;
    const GstClockTime hold = static_cast<GstClockTime>(settings.hold) * GST_MSECOND,
                       delay = static_cast<GstClockTime>(settings.delay) * GST_MSECOND;
    if (!GST_CLOCK_TIME_IS_VALID(now)) now = last_;
    if (now < last_) quiet_since_ = rising_since_ = last_ = now; // time was set back, by a seek
    if (now > last_) {
      gaps_[next_gap_] = now - last_;
      next_gap_ = (next_gap_ + 1) % gaps_.size();
    }
    last_ = now;
    const bool above = fraction > 0 && fraction >= threshold, stays = above || fraction > threshold / 2;
    if (!moving_) {
      if (above && !std::exchange(rising_, true)) rising_since_ = now;
      rising_ = rising_ && stays;
      if (!above || std::max(now - rising_since_, apart()) < delay) return Change::none;
      rising_ = false;
      moving_ = true;
      quiet_since_ = now;
      return Change::begin;
    }
    if (stays) {
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
    moving_ = rising_ = false;
    return was ? Change::end : Change::none;
  }
  bool moving() const { return moving_; }
  // How long there has been no motion, at the last frame. When motion ends it is motion-hold or a little
  // more, or less at the end of the stream.
  GstClockTime quiet() const { return last_ - quiet_since_; }

 private:
  // One frame that comes late does not make a camera slow.
  GstClockTime apart() const { return *std::ranges::min_element(gaps_); }

  std::array<GstClockTime, 4> gaps_{}; // between the last frames; 0: not known yet
  std::size_t next_gap_ = 0;
  bool moving_ = false, rising_ = false; // rising: motion, but not for long enough yet
  GstClockTime last_ = 0, quiet_since_ = 0, rising_since_ = 0;
};

} // namespace vigil::gst
