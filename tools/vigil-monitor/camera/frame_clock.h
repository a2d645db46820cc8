// SPDX-License-Identifier: LGPL-2.1-or-later
// When the frames of a pipeline were captured: by their running time and the pipeline's clock. From any
// thread.
#pragma once

#include "gst/video/gst_ptr.h"
#include "utc.h"

#include <cmath>
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

inline GstClockTime running_time(GstPad *pad, GstBuffer *buffer) {
  GstClockTime running = GST_CLOCK_TIME_NONE;
  if (GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)) {
    const GstSegment *segment = nullptr;
    gst_event_parse_segment(event, &segment);
    running = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
    gst_event_unref(event);
  }
  return running;
}

inline GstClockTime running_time(GstSample *sample) {
  return gst_segment_to_running_time(gst_sample_get_segment(sample), GST_FORMAT_TIME,
                                     GST_BUFFER_PTS(gst_sample_get_buffer(sample)));
}

inline double FrameClock::age(GstClockTime running) const {
  const gst::ObjectPtr<GstClock> clock(gst_element_get_clock(pipeline_));
  if (!clock || !GST_CLOCK_TIME_IS_VALID(running)) return 0;
  const GstClockTime t = gst_clock_get_time(clock.get()),
                     then = gst_element_get_base_time(pipeline_) + running;
  const double ago = static_cast<double>(static_cast<gint64>(t - then)) / 1e9;
  constexpr double longest = 60; // further off the stream's times are wrong
  return std::abs(ago) > longest ? 0 : ago;
}

} // namespace vigil::monitor
