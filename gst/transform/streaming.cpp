// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/streaming.h"

#include "gst/errors.h"
#include "gst/observe/results.h"
#include "gst/transform/pools.h"

#include <utility>

namespace vigil::gst {

GstFlowReturn take_input(GstBaseTransformClass *base, GstBaseTransform *trans, gboolean discont,
                         GstBuffer *input, BufferPtr &in) {
  const GstFlowReturn flow = base->submit_input_buffer(trans, discont, input);
  if (flow == GST_FLOW_OK) in.reset(std::exchange(trans->queued_buf, nullptr));
  return flow;
}

void push_all(GstBaseTransform *trans, const std::function<GstBuffer *()> &take) {
  guard(trans, false, [&] {
    GstFlowReturn flow = GST_FLOW_OK;
    while (GstBuffer *buffer = take())
      if (flow == GST_FLOW_OK)
        flow = gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(trans), buffer);
      else
        gst_buffer_unref(buffer);
    return true;
  });
}

void held_frames_changed(GstBaseTransform *trans) {
  gst_base_transform_reconfigure_src(trans);
  gst_element_post_message(GST_ELEMENT(trans), gst_message_new_latency(GST_OBJECT(trans)));
}

void before_event(GstBaseTransform *trans, GstEvent *event, const HeldFrames &held) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    held.discard(trans);
  else if (gst_event_type_get_flags(GST_EVENT_TYPE(event)) & GST_EVENT_TYPE_SERIALIZED)
    held.drain(trans);
}

gboolean answer_query(GstBaseTransformClass *base, GstBaseTransform *trans, GstPadDirection direction,
                      GstQuery *query, const HeldFrames &held) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_DRAIN) held.drain(trans);
  if (!base->query(trans, direction, query)) return FALSE;
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY && direction == GST_PAD_SRC)
    add_latency(trans, query, held.most(trans));
  return TRUE;
}

void sync_controlled(GstBaseTransform *trans, GstBuffer *buffer) {
  const FrameTime time = frame_time(trans->segment, buffer);
  if (GST_CLOCK_TIME_IS_VALID(time.stream)) gst_object_sync_values(GST_OBJECT(trans), time.stream);
}

} // namespace vigil::gst
