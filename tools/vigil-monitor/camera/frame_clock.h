// SPDX-License-Identifier: LGPL-2.1-or-later
// When the frames of a pipeline were captured: by their running time and the pipeline's clock. From any
// thread.
#pragma once

#include "utc.h"

#include <gst/gst.h>

namespace vigil::monitor {

// By the segment of the pad; GST_CLOCK_TIME_NONE when it has none, or the buffer no time.
GstClockTime running_time(GstPad *, GstBuffer *);
// Of the sample's buffer, by its segment.
GstClockTime running_time(GstSample *);

class FrameClock {
 public:
  FrameClock(GstElement *pipeline, const Utc &utc) : pipeline_(pipeline), utc_(utc) {}

  double age(GstClockTime running) const; // seconds since then; 0 when the time is of no use
  double utc(GstClockTime running) const { return utc_.now() - age(running); }
  double utc(GstPad *pad, GstBuffer *buffer) const { return utc(running_time(pad, buffer)); }
  double monotonic(GstClockTime running) const { return Utc::monotonic_seconds() - age(running); }
  double late_ms(GstPad *pad, GstBuffer *buffer) const { return (utc_.now() - utc(pad, buffer)) * 1000; }

 private:
  GstElement *const pipeline_;
  const Utc &utc_;
};

} // namespace vigil::monitor
