// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies of a stream's buffers whose times begin at 0 and go on where the stream's go back, as a file's do
// that begins again: so files and viewers need them.
#pragma once

#include <gst/gst.h>

namespace vigil::monitor {

class FromZero {
 public:
  // A copy with times of its own; the memory is shared. The first buffer's decoding time becomes 0.
  GstBuffer *copy(GstBuffer *buffer) {
    GstBuffer *out = gst_buffer_copy(buffer);
    const GstClockTime time =
        GST_BUFFER_DTS_IS_VALID(buffer) ? GST_BUFFER_DTS(buffer) : GST_BUFFER_PTS(buffer);
    if (GST_CLOCK_TIME_IS_VALID(time)) follow(static_cast<GstClockTimeDiff>(time));
    GST_BUFFER_PTS(out) = shifted(GST_BUFFER_PTS(buffer));
    GST_BUFFER_DTS(out) = shifted(GST_BUFFER_DTS(buffer));
    return out;
  }

 private:
  void follow(GstClockTimeDiff time) {
    if (!begun_) zero_ = time;
    if (begun_ && time + reordering < last_) {
      zero_ += time - last_ - step_; // the next time is as much later as the one before was
    } else if (begun_ && time <= last_) {
      return; // a frame that is shown before one that came already, of a stream without decoding times
    } else if (begun_) {
      step_ = time - last_;
    }
    last_ = time;
    begun_ = true;
  }
  GstClockTime shifted(GstClockTime t) const {
    if (!GST_CLOCK_TIME_IS_VALID(t)) return t;
    const GstClockTimeDiff from_zero = static_cast<GstClockTimeDiff>(t) - zero_;
    return from_zero > 0 ? static_cast<GstClockTime>(from_zero) : 0;
  }
  static constexpr GstClockTimeDiff reordering = GST_SECOND; // no encoder shows frames that much earlier
  bool begun_ = false;
  GstClockTimeDiff zero_ = 0, last_ = 0,
                   step_ = 0; // of the stream: what became 0, the last time, how far it came
};

} // namespace vigil::monitor
