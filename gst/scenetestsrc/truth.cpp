// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/scenetestsrc/truth.h"

#include <cmath>
#include <gst/video/gstvideometa.h>

namespace vigil {
namespace {

const char *name_of(scene::Kind kind) {
  switch (kind) {
  case scene::Kind::car:
    return "car";
  case scene::Kind::bag:
    return "bag";
  case scene::Kind::bicycle:
    return "bicycle";
  default:
    return "person";
  }
}

guint64 nanoseconds(double seconds) {
  return guint64(std::llround(seconds * double(GST_SECOND)));
}

GstStructure *parameter_of(const scene::TrueObject &o) {
  return gst_structure_new("truth", "id", G_TYPE_INT, o.id, "left", G_TYPE_DOUBLE, double(o.left), "top",
                           G_TYPE_DOUBLE, double(o.top), "right", G_TYPE_DOUBLE, double(o.right), "bottom",
                           G_TYPE_DOUBLE, double(o.bottom), "ground-x", G_TYPE_DOUBLE, double(o.ground_x),
                           "ground-y", G_TYPE_DOUBLE, double(o.ground_y), "visible", G_TYPE_DOUBLE,
                           double(o.visible), "visible-x", G_TYPE_INT, o.visible_x, "visible-y", G_TYPE_INT,
                           o.visible_y, "visible-width", G_TYPE_INT, o.visible_width, "visible-height",
                           G_TYPE_INT, o.visible_height, "speed", G_TYPE_DOUBLE, double(o.speed), "standing",
                           G_TYPE_BOOLEAN, gboolean(o.since >= 0), "owner", G_TYPE_INT, o.owner, nullptr);
}

const char *message_of(scene::Incident::What what) {
  using What = scene::Incident::What;
  switch (what) {
  case What::cross:
    return "truth-cross";
  case What::stay_begin:
    return "truth-stay-begin";
  case What::stay_end:
    return "truth-stay-end";
  case What::object_left:
    return "truth-object-left";
  default:
    return "truth-object-removed";
  }
}

} // namespace

void add_truth(GstBuffer *buffer, std::span<const scene::TrueObject> objects) {
  for (const scene::TrueObject &o : objects) {
    auto *meta = gst_buffer_add_video_region_of_interest_meta(buffer, name_of(o.kind), guint(o.x), guint(o.y),
                                                              guint(o.width), guint(o.height));
    meta->id = o.id;
    gst_video_region_of_interest_meta_add_param(meta, parameter_of(o));
  }
}

void post_incidents(GstElement *element, const gst::FrameTime &time, double now,
                    std::span<const scene::Incident> incidents) {
  using What = scene::Incident::What;
  for (const scene::Incident &i : incidents) {
    GstStructure *s = gst::new_timed_structure(message_of(i.what), time);
    gst_structure_set(s, "id", G_TYPE_INT, i.id, "type", G_TYPE_STRING, name_of(i.kind), nullptr);
    if (i.what == What::cross)
      gst_structure_set(s, "line", G_TYPE_STRING, scene::lines[i.line].name, "direction", G_TYPE_STRING,
                        i.forward ? "forward" : "backward", "x", G_TYPE_DOUBLE, double(i.x), "y",
                        G_TYPE_DOUBLE, double(i.y), nullptr);
    else
      gst_structure_set(s, "since", G_TYPE_UINT64, nanoseconds(i.since), nullptr);
    if (i.what == What::stay_end || i.what == What::object_removed)
      gst_structure_set(s, "lasted", G_TYPE_UINT64, nanoseconds(now - i.since), nullptr);
    if (i.kind == scene::Kind::bag) gst_structure_set(s, "owner", G_TYPE_INT, i.owner, nullptr);
    gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), s));
  }
}

void post_lines(GstElement *element, const gst::FrameTime &time) {
  GstStructure *s = gst::new_timed_structure("truth-lines", time);
  GValue array = G_VALUE_INIT;
  g_value_init(&array, GST_TYPE_ARRAY);
  for (const scene::Line &l : scene::lines) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&value,
                       gst_structure_new("line", "name", G_TYPE_STRING, l.name, "x1", G_TYPE_DOUBLE,
                                         double(l.x1), "y1", G_TYPE_DOUBLE, double(l.y1), "x2", G_TYPE_DOUBLE,
                                         double(l.x2), "y2", G_TYPE_DOUBLE, double(l.y2), nullptr));
    gst_value_array_append_and_take_value(&array, &value);
  }
  gst_structure_take_value(s, "lines", &array);
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), s));
}

} // namespace vigil
