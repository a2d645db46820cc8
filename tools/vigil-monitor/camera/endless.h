// SPDX-License-Identifier: LGPL-2.1-or-later
// One stream without an end out of the segments in which a demuxer gives a file that plays again and again:
// times go on, and what follows is not told where the file ends. A decoder that was told so would give out
// what it holds at once, and then nothing until it holds as much again.
#pragma once

#include <gst/gst.h>

namespace vigil::monitor {

class EndlessStream {
 public:
  // On the sink pad of an element, from the first event on.
  static void begin(GstPad *pad) {
    gst_pad_add_probe(pad,
                      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                                                   GST_PAD_PROBE_TYPE_EVENT_FLUSH |
                                                   GST_PAD_PROBE_TYPE_BUFFER),
                      pass, new EndlessStream,
                      [](gpointer user) { delete static_cast<EndlessStream *>(user); });
  }

 private:
  static GstPadProbeReturn pass(GstPad *, GstPadProbeInfo *info, gpointer user) {
    auto &s = *static_cast<EndlessStream *>(user);
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
      if (s.later_ != 0) info->data = s.moved(GST_BUFFER(info->data));
      return GST_PAD_PROBE_OK;
    }
    switch (GST_EVENT_TYPE(info->data)) {
    case GST_EVENT_FLUSH_STOP:
      s = {};
      return GST_PAD_PROBE_OK;
    case GST_EVENT_SEGMENT_DONE:
      return GST_PAD_PROBE_DROP;
    case GST_EVENT_SEGMENT:
      return s.segment(info);
    default:
      return GST_PAD_PROBE_OK;
    }
  }

  GstPadProbeReturn segment(GstPadProbeInfo *info) {
    auto *event = GST_EVENT(info->data);
    const GstSegment *given = nullptr;
    gst_event_parse_segment(event, &given);
    if (given->format != GST_FORMAT_TIME) return GST_PAD_PROBE_OK;
    if (begun_) {
      const auto since = [](guint64 a, guint64 b) { return static_cast<GstClockTimeDiff>(a - b); };
      later_ = since(given->base, first_.base) - since(given->start, first_.start);
      return GST_PAD_PROBE_DROP;
    }
    begun_ = true;
    first_ = *given;
    GstSegment open = *given;
    open.stop = open.duration = GST_CLOCK_TIME_NONE;
    GstEvent *whole = gst_event_new_segment(&open);
    gst_event_set_seqnum(whole, gst_event_get_seqnum(event));
    gst_event_unref(event);
    info->data = whole;
    return GST_PAD_PROBE_OK;
  }

  GstBuffer *moved(GstBuffer *buffer) const {
    GstBuffer *out = gst_buffer_make_writable(buffer);
    for (GstClockTime *t : {&GST_BUFFER_PTS(out), &GST_BUFFER_DTS(out)})
      if (GST_CLOCK_TIME_IS_VALID(*t)) *t += static_cast<GstClockTime>(later_);
    GST_BUFFER_FLAG_UNSET(out, GST_BUFFER_FLAG_DISCONT);
    return out;
  }

  bool begun_ = false;
  GstSegment first_{};
  GstClockTimeDiff later_ = 0; // than the demuxer says, since times went back
};

} // namespace vigil::monitor
