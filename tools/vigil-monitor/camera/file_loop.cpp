// SPDX-License-Identifier: LGPL-2.1-or-later
#include "file_loop.h"

#include "common/guarded.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {
namespace {

void shift(GstClockTime &time, GstClockTimeDiff by) {
  if (GST_CLOCK_TIME_IS_VALID(time))
    time = static_cast<GstClockTime>(std::max<GstClockTimeDiff>(0, static_cast<GstClockTimeDiff>(time) + by));
}

} // namespace

FileLoop::FileLoop(GstPad *pad, std::function<void()> at_end)
    : pad_(GST_PAD(gst_object_ref(pad))), at_end_(std::move(at_end)) {
  constexpr int what =
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH;
  gst_pad_add_probe(pad_, static_cast<GstPadProbeType>(what), guarded<passing, GST_PAD_PROBE_OK>, this,
                    nullptr);
}

FileLoop::~FileLoop() {
  gst_object_unref(pad_);
}

bool FileLoop::rewind() {
  rewinding_ = true;
  const bool done = gst_pad_send_event(
      pad_, gst_event_new_seek(1, GST_FORMAT_TIME,
                               static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT),
                               GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
  rewinding_ = false;
  return done;
}

GstPadProbeReturn FileLoop::passing(GstPad *, GstPadProbeInfo *info, gpointer user) {
  FileLoop &loop = *static_cast<FileLoop *>(user);
  if (!(GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER)) return loop.event(info);
  loop.buffer(info);
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn FileLoop::event(GstPadProbeInfo *info) {
  switch (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info))) {
  case GST_EVENT_FLUSH_START:
  case GST_EVENT_FLUSH_STOP:
    return rewinding_ ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  case GST_EVENT_STREAM_START: // a decoder empties itself for it
    return before_ ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  case GST_EVENT_SEGMENT:
    return segment(info);
  case GST_EVENT_EOS:
    return end();
  default:
    return GST_PAD_PROBE_OK;
  }
}

// The first one goes on without an end, later ones do not: their frames get times of the first.
GstPadProbeReturn FileLoop::segment(GstPadProbeInfo *info) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  GstSegment s;
  gst_event_copy_segment(event, &s);
  if (s.format != GST_FORMAT_TIME) return GST_PAD_PROBE_OK;
  origin_ = static_cast<GstClockTimeDiff>(s.start + s.offset) - static_cast<GstClockTimeDiff>(s.base);
  if (begun_.exchange(true)) return GST_PAD_PROBE_DROP;
  first_origin_ = origin_;
  s.stop = s.duration = GST_CLOCK_TIME_NONE;
  GstEvent *open = gst_event_new_segment(&s);
  gst_event_set_seqnum(open, gst_event_get_seqnum(event));
  gst_event_unref(event);
  GST_PAD_PROBE_INFO_DATA(info) = open;
  return GST_PAD_PROBE_OK;
}

void FileLoop::buffer(GstPadProbeInfo *info) {
  GstBuffer *b = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = b;
  const GstClockTime time = GST_BUFFER_PTS_IS_VALID(b) ? GST_BUFFER_PTS(b) : GST_BUFFER_DTS(b);
  if (GST_CLOCK_TIME_IS_VALID(time)) {
    const GstClockTimeDiff t = static_cast<GstClockTimeDiff>(time) - origin_;
    earliest_ = frames_ ? std::min(earliest_, t) : t;
    if (!frames_ || t >= latest_) {
      latest_ = t;
      last_lasts_ = GST_BUFFER_DURATION_IS_VALID(b) ? static_cast<GstClockTimeDiff>(GST_BUFFER_DURATION(b))
                                                    : GstClockTimeDiff{0};
    }
    const GstClockTimeDiff by = before_ + first_origin_ - origin_;
    shift(GST_BUFFER_PTS(b), by);
    shift(GST_BUFFER_DTS(b), by);
  }
  if (before_ && !frames_) GST_BUFFER_FLAG_UNSET(b, GST_BUFFER_FLAG_DISCONT); // else a parser empties itself
  frames_++;
}

GstClockTimeDiff FileLoop::length() const {
  const GstClockTimeDiff from_first_to_last = latest_ - earliest_;
  const auto gaps = static_cast<GstClockTimeDiff>(frames_ - 1);
  const GstClockTimeDiff last = last_lasts_ > 0 ? last_lasts_ : gaps ? from_first_to_last / gaps : 0;
  constexpr GstClockTimeDiff unknown = GST_SECOND; // of a still picture, say: once a second
  return from_first_to_last + last > 0 ? from_first_to_last + last : unknown;
}

GstPadProbeReturn FileLoop::end() {
  if (!frames_) return GST_PAD_PROBE_OK; // nothing to show again
  before_ += length();
  frames_ = 0;
  at_end_();
  return GST_PAD_PROBE_DROP;
}

} // namespace vigil::monitor
