// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/transform/any_frames.h"

#include "gst/transform/ordered_output.h"
#include "gst/video/activation.h"

namespace vigil::gst {
namespace {

GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

GstFlowReturn prepare_any(GstBaseTransform *, GstBuffer *in, GstBuffer **out) {
  *out = gst_buffer_is_writable(in) ? in : gst_buffer_copy(in);
  return GST_FLOW_OK;
}
// Frames come to the next element as they are, so it says what it wants of them.
gboolean propose_for_any(GstBaseTransform *trans, GstQuery *, GstQuery *query) {
  return gst_pad_peer_query(GST_BASE_TRANSFORM_SRC_PAD(trans), query);
}
gboolean decide_for_any(GstBaseTransform *, GstQuery *) {
  return TRUE; // frames are not made here
}

GstStateChangeReturn change_any_state(GstElement *element, GstStateChange transition) {
  auto *parent = GST_ELEMENT_CLASS(g_type_class_peek(GST_TYPE_BASE_TRANSFORM));
  return change_state_without_frames(parent, element, transition);
}

} // namespace

bool StreamPosition::set_caps(GstCaps *caps) {
  gint w = 0, h = 0;
  const GstStructure *s = gst_caps_get_structure(caps, 0);
  gst_structure_get_int(s, "width", &w);
  gst_structure_get_int(s, "height", &h);
  if (!gst_structure_has_name(s, "video/x-raw") || !gst_video_info_from_caps(&info, caps)) info = {};
  const bool changed = w != width || h != height;
  width = w;
  height = h;
  return changed;
}

void pass_any_frames(GstBaseTransformClass *transform) {
  auto *element = GST_ELEMENT_CLASS(transform);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  element->change_state = change_any_state;
  transform->prepare_output_buffer = prepare_any;
  transform->propose_allocation = propose_for_any;
  transform->decide_allocation = decide_for_any;
  transform->transform_ip_on_passthrough = FALSE;
  transform->before_transform = sync_controlled;
}

} // namespace vigil::gst
