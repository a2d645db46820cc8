// SPDX-License-Identifier: LGPL-2.1-or-later
#include "arrival_times.h"

#include "common/guarded.h"

#include "gst/video/gst_ptr.h"

#include <algorithm>

namespace vigil::monitor {
namespace {

bool carries_jpeg(GstPad *pad) {
  const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  return caps && gst_structure_has_name(gst_caps_get_structure(caps.get(), 0), "image/jpeg");
}

} // namespace

void ArrivalTimes::watch(GstPad *pad, GstElement *pipeline) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, guarded<passing, GST_PAD_PROBE_OK>,
                    new ArrivalTimes(pipeline),
                    [](gpointer user) { delete static_cast<ArrivalTimes *>(user); });
}

GstPadProbeReturn ArrivalTimes::passing(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  ArrivalTimes &self = *static_cast<ArrivalTimes *>(user);
  GstBuffer *b = GST_PAD_PROBE_INFO_BUFFER(info);
  if (GST_BUFFER_PTS_IS_VALID(b) || GST_BUFFER_DTS_IS_VALID(b)) {
    self.own_ = g_get_monotonic_time();
    return GST_PAD_PROBE_OK;
  }
  // A parser may give its first picture the time 0, and none to all others. jpegdec of GStreamer 1.24 gives
  // each of these a second, and from then on no picture a time before that.
  if (self.own_ && g_get_monotonic_time() - self.own_ < G_USEC_PER_SEC && !carries_jpeg(pad))
    return GST_PAD_PROBE_OK;
  GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (!event) return GST_PAD_PROBE_OK;
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event, &segment);
  if (segment->format == GST_FORMAT_TIME) {
    self.last_ = std::max(self.last_, self.running());
    b = gst_buffer_make_writable(b);
    GST_PAD_PROBE_INFO_DATA(info) = b;
    GST_BUFFER_PTS(b) = gst_segment_position_from_running_time(segment, GST_FORMAT_TIME, self.last_);
  }
  gst_event_unref(event);
  return GST_PAD_PROBE_OK;
}

GstClockTime ArrivalTimes::running() const {
  const gst::ObjectPtr<GstClock> clock(gst_element_get_clock(pipeline_));
  const GstClockTime base = gst_element_get_base_time(pipeline_);
  if (!clock || !GST_CLOCK_TIME_IS_VALID(base)) return 0;
  const GstClockTime now = gst_clock_get_time(clock.get());
  return now > base ? now - base : 0;
}

} // namespace vigil::monitor
