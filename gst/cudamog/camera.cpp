// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/camera.h"

namespace vigil::gst::cudamog {
namespace {

const char *name_of(view::Trouble t) {
  switch (t) {
  case view::Trouble::covered:
    return "camera-covered";
  case view::Trouble::blurred:
    return "camera-blurred";
  case view::Trouble::moved:
    break;
  }
  return "camera-moved";
}

void set(GstStructure *s, const char *field, float value) {
  gst_structure_set(s, field, G_TYPE_DOUBLE, double(value), nullptr);
}

} // namespace

void post_camera(GstElement *element, const view::Event &e, const FrameTime &time) {
  GstStructure *s = new_timed_structure(name_of(e.trouble), time);
  gst_structure_set(s, "state", G_TYPE_STRING, e.begins ? "begin" : "end", nullptr);
  if (GST_CLOCK_TIME_IS_VALID(time.running)) {
    const auto ago = static_cast<GstClockTime>(e.since * GST_SECOND);
    gst_structure_set(s, "since", G_TYPE_UINT64, guint64(time.running - MIN(ago, time.running)), nullptr);
  }
  set(s, "agreement", e.seen.agreement);
  if (e.seen.sharpness) set(s, "sharpness", *e.seen.sharpness);
  if (e.shift) {
    set(s, "shift-x", e.shift->x);
    set(s, "shift-y", e.shift->y);
  }
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), s));
}

} // namespace vigil::gst::cudamog
