// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies of a stream's buffers whose times begin at 0, as files and viewers need them.
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
    if (!GST_CLOCK_TIME_IS_VALID(first_)) first_ = time;
    GST_BUFFER_PTS(out) = shifted(GST_BUFFER_PTS(buffer));
    GST_BUFFER_DTS(out) = shifted(GST_BUFFER_DTS(buffer));
    return out;
  }

 private:
  GstClockTime shifted(GstClockTime t) const {
    if (!GST_CLOCK_TIME_IS_VALID(t)) return t;
    return t > first_ ? t - first_ : 0;
  }
  GstClockTime first_ = GST_CLOCK_TIME_NONE;
};

} // namespace vigil::monitor
