// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sender_clock.h"

#include "common/guarded.h"
#include "gst/video/gst_ptr.h"

#include <cmath>

namespace vigil::monitor {

void SenderClock::watch(GstPad *rtp, GstElement *pipeline) {
  pipeline_ = pipeline;
  gst_pad_add_probe(rtp,
                    static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST),
                    guarded<passing, GST_PAD_PROBE_OK>, this, nullptr);
}

std::optional<double> SenderClock::lag() const {
  return known_ ? std::optional(lag_.load()) : std::nullopt;
}

GstPadProbeReturn SenderClock::passing(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  SenderClock &self = *static_cast<SenderClock *>(user);
  if (!(GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER_LIST))
    self.packet(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  else if (GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST(info); gst_buffer_list_length(list) > 0)
    self.packet(pad, gst_buffer_list_get(list, 0));
  return GST_PAD_PROBE_OK;
}

void SenderClock::packet(GstPad *pad, GstBuffer *buffer) {
  static const gst::CapsPtr ntp(gst_caps_new_empty_simple("timestamp/x-ntp"));
  const GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta(buffer, ntp.get());
  if (!meta || !GST_BUFFER_PTS_IS_VALID(buffer)) return;
  GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (!event) return;
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event, &segment);
  const GstClockTime running = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  gst_event_unref(event);
  const GstClockTime base = gst_element_get_base_time(pipeline_);
  if (!GST_CLOCK_TIME_IS_VALID(running) || !GST_CLOCK_TIME_IS_VALID(base)) return;
  const double lag =
      static_cast<double>(base + running) / GST_SECOND - static_cast<double>(meta->timestamp) / GST_SECOND;
  constexpr double part = 0.05, jump = 0.5; // packets come unevenly; a clock that is set jumps
  const double before = lag_;
  lag_ = known_ && std::abs(lag - before) < jump ? before + part * (lag - before) : lag;
  known_ = true;
}

} // namespace vigil::monitor
