// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/ordered_output.h"

#include "gst/errors.h"
#include "gst/metadata/results.h"
#include "gst/transform/pools.h"

#include <utility>

namespace vigil::gst {
namespace {

bool has(GstEvent *event, GstEventTypeFlags flag) {
  return gst_event_type_get_flags(GST_EVENT_TYPE(event)) & flag;
}

bool drains(GstEventType type) {
  switch (type) {
  case GST_EVENT_STREAM_START:
  case GST_EVENT_CAPS:
  case GST_EVENT_SEGMENT:
  case GST_EVENT_SEGMENT_DONE:
  case GST_EVENT_STREAM_GROUP_DONE:
  case GST_EVENT_GAP:
  case GST_EVENT_EOS:
    return true;
  default:
    return false;
  }
}

// Where a pad keeps its outlet. The pad's chaindata is lost when another chain function is set before ours,
// as GstValidate does before 1.26.
GQuark own_quark() {
  static const GQuark quark = g_quark_from_static_string("vigil-outlet");
  return quark;
}

} // namespace

OrderedOutput::OrderedOutput(GstBaseTransform *trans, FrameSource &frames)
    : trans_(trans), frames_(frames), base_chain_(GST_PAD_CHAINFUNC(GST_BASE_TRANSFORM_SINK_PAD(trans))) {
  GstPad *const pad = GST_BASE_TRANSFORM_SINK_PAD(trans);
  g_object_set_qdata(G_OBJECT(pad), own_quark(), this);
  gst_pad_set_chain_function(pad, chain);
}

GstFlowReturn OrderedOutput::chain(GstPad *pad, GstObject *parent, GstBuffer *buffer) {
  auto &self = *static_cast<OrderedOutput *>(g_object_get_qdata(G_OBJECT(pad), own_quark()));
  if (GST_BUFFER_IS_DISCONT(buffer)) {
    self.discont_ = true;
    buffer = gst_buffer_make_writable(buffer);
    GST_BUFFER_FLAG_UNSET(buffer, GST_BUFFER_FLAG_DISCONT);
  }
  return self.base_chain_(pad, parent, buffer);
}

GstFlowReturn OrderedOutput::receive(GstBaseTransformClass *base, gboolean discont, GstBuffer *input,
                                     BufferPtr &in) {
  if (discont) discont_ = true;
  if (flow_ != GST_FLOW_OK) {
    gst_buffer_unref(input);
    return std::exchange(flow_, GST_FLOW_OK);
  }
  const GstFlowReturn flow = base->submit_input_buffer(trans_, discont, input);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) { // the base class would mark an older frame
    discont_ = true;
    return GST_FLOW_OK;
  }
  if (flow == GST_FLOW_OK) in.reset(std::exchange(trans_->queued_buf, nullptr));
  return flow;
}

bool OrderedOutput::accept() {
  came_++;
  return std::exchange(discont_, false);
}

GstBuffer *OrderedOutput::leave(FrameSource::Taken taken) {
  GstBuffer *buffer = taken.buffer.release();
  if (taken.discont && !GST_BUFFER_IS_DISCONT(buffer)) {
    buffer = gst_buffer_make_writable(buffer);
    GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  }
  GstClockTime end = GST_BUFFER_PTS(buffer);
  if (GST_CLOCK_TIME_IS_VALID(end)) {
    if (GST_BUFFER_DURATION_IS_VALID(buffer)) end += GST_BUFFER_DURATION(buffer);
    position_ = end;
  }
  return buffer;
}

// The base class pushes what comes out, and calls this again while frames come out: events that follow a
// frame are due then.
GstFlowReturn OrderedOutput::generate(GstBuffer **output) {
  return guard(GST_ELEMENT(trans_), GST_FLOW_ERROR, [&] {
    forward_due();
    *output = nullptr;
    if (std::optional<FrameSource::Taken> taken = frames_.take(false)) {
      *output = leave(std::move(*taken));
      left_++;
    }
    return GST_FLOW_OK;
  });
}

void OrderedOutput::drain() {
  guard(GST_ELEMENT(trans_), false, [&] {
    forward_due();
    while (std::optional<FrameSource::Taken> taken = frames_.take(true)) {
      GstBuffer *buffer = leave(std::move(*taken));
      if (flow_ == GST_FLOW_OK)
        flow_ = gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(trans_), buffer);
      else
        gst_buffer_unref(buffer);
      left_++;
      forward_due();
    }
    return true;
  });
  left_ = came_; // frames that an error cost do not come any more
  forward_due();
}

void OrderedOutput::forward_due() {
  while (!events_.empty() && events_.front().after <= left_) {
    const HeldEvent e = events_.front();
    events_.pop_front();
    e.base->sink_event(trans_, e.event);
  }
}

gboolean OrderedOutput::sink_event(GstBaseTransformClass *base, GstEvent *event) {
  const GstEventType type = GST_EVENT_TYPE(event);
  if (type == GST_EVENT_FLUSH_STOP)
    flush();
  else if (has(event, GST_EVENT_TYPE_SERIALIZED)) {
    if (drains(type)) {
      drain();
    } else if (came_ != left_ || !events_.empty()) {
      events_.push_back({came_, base, event});
      return TRUE;
    }
  }
  return base->sink_event(trans_, event);
}

void OrderedOutput::flush() {
  frames_.discard();
  for (const HeldEvent &e : events_) {
    if (has(e.event, GST_EVENT_TYPE_STICKY))
      gst_pad_store_sticky_event(GST_BASE_TRANSFORM_SRC_PAD(trans_), e.event);
    gst_event_unref(e.event);
  }
  events_.clear();
  left_ = came_;
  flow_ = GST_FLOW_OK;
  discont_ = false;
  position_ = GST_CLOCK_TIME_NONE;
}

void OrderedOutput::reset() {
  for (const HeldEvent &e : events_) gst_event_unref(e.event);
  events_.clear();
  left_ = came_;
  flow_ = GST_FLOW_OK;
  discont_ = false;
  position_ = GST_CLOCK_TIME_NONE;
}

gboolean OrderedOutput::answer(GstBaseTransformClass *base, GstPadDirection direction, GstQuery *query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_DRAIN) {
    if (direction == GST_PAD_SRC) return FALSE; // not of the streaming thread, which alone may push
    drain();
  }
  if (GST_QUERY_TYPE(query) == GST_QUERY_POSITION && direction == GST_PAD_SRC) {
    const GstClockTime position = position_;
    GstFormat format = GST_FORMAT_UNDEFINED;
    gst_query_parse_position(query, &format, nullptr);
    if (format == GST_FORMAT_TIME && trans_->segment.format == GST_FORMAT_TIME &&
        GST_CLOCK_TIME_IS_VALID(position)) {
      gst_query_set_position(query, format,
                             gint64(gst_segment_to_stream_time(&trans_->segment, GST_FORMAT_TIME, position)));
      return TRUE;
    }
  }
  if (!base->query(trans_, direction, query)) return FALSE;
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY && direction == GST_PAD_SRC)
    add_latency(trans_, query, frames_.most_held());
  return TRUE;
}

void held_frames_changed(GstBaseTransform *trans) {
  gst_base_transform_reconfigure_src(trans);
  gst_base_transform_reconfigure_sink(trans);
  gst_element_post_message(GST_ELEMENT(trans), gst_message_new_latency(GST_OBJECT(trans)));
}

void sync_controlled(GstBaseTransform *trans, GstBuffer *buffer) {
  const FrameTime time = frame_time(trans->segment, buffer);
  if (GST_CLOCK_TIME_IS_VALID(time.stream)) gst_object_sync_values(GST_OBJECT(trans), time.stream);
}

} // namespace vigil::gst
