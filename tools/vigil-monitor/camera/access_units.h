// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames of a compressed stream as a file needs them: each with a picture and with a time.
//
// GStreamer gives a time to the first buffer of one RTP time alone. A camera that sends an SEI with the
// marker bit before each picture, or two pictures of one time, so sends frames without a time.
#pragma once

#include "gst/video/gst_ptr.h"

#include <gst/gst.h>
#include <memory>

namespace vigil::monitor {

class AccessUnits {
 public:
  void begin(const GstCaps *); // of a stream
  // `time`: when the frame was captured, in seconds of a steady clock. Null when the buffer holds no picture:
  // it comes in front of the next one. What has no time gets one after the frame before.
  gst::BufferPtr take(GstBuffer *, double time);

 private:
  bool has_picture(GstBuffer *) const;
  void set_time(GstBuffer *, double time);

  enum class Codec { other, h264, h265 };
  Codec codec_ = Codec::other; // with the length of each unit before it, in four bytes
  gst::BufferPtr waiting_;     // without a picture
  GstClockTime pts_ = GST_CLOCK_TIME_NONE, dts_ = GST_CLOCK_TIME_NONE; // of the frame before
  GstClockTime step_ = 0;                                              // between the last two that had times
  double time_ = 0;                                                    // of the frame before
  int untimed_ = 0;                                                    // frames, one after the other
};

} // namespace vigil::monitor
