// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/results.h"

#include "gst/compat.h"
#include "gst/video/formats.h"

#include <algorithm>

namespace vigil::gst {
namespace {

constexpr std::size_t max_boxes_in_message = 64;

void append_box(GValue *array, const BlobBox &b) {
  GstStructure *s =
      gst_structure_new("box", "x", G_TYPE_INT, b.x, "y", G_TYPE_INT, b.y, "width", G_TYPE_INT, b.width,
                        "height", G_TYPE_INT, b.height, "area", G_TYPE_UINT, b.area, nullptr);
  GValue value = G_VALUE_INIT;
  g_value_init(&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed(&value, s);
  gst_value_array_append_and_take_value(array, &value);
}

GstStructure *parameter_of(const BlobBox &b) {
  GstStructure *s = gst_structure_new("blob", "area", G_TYPE_UINT, b.area, "confidence", G_TYPE_DOUBLE,
                                      confidence_of(b), nullptr);
  if (b.ghost) gst_structure_set(s, "ghost", G_TYPE_BOOLEAN, TRUE, nullptr);
  if (!b.details) return s;
  const BlobDetails &d = *b.details;
  gst_structure_set(s, "x", G_TYPE_DOUBLE, d.x, "y", G_TYPE_DOUBLE, d.y, "xx", G_TYPE_DOUBLE, d.xx, "xy",
                    G_TYPE_DOUBLE, d.xy, "yy", G_TYPE_DOUBLE, d.yy, nullptr);
  constexpr const char *names[] = {"c0", "c1", "c2"};
  for (int i = 0; i < d.channels; i++) gst_structure_set(s, names[i], G_TYPE_DOUBLE, d.colour[i], nullptr);
  return s;
}

} // namespace

FrameTime frame_time(const GstSegment &segment, GstBuffer *buffer) {
  FrameTime t;
  t.timestamp = GST_BUFFER_PTS(buffer);
  t.duration = GST_BUFFER_DURATION(buffer);
  if (segment.format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID(t.timestamp)) {
    t.running = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, t.timestamp);
    t.stream = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, t.timestamp);
  }
  return t;
}

void add_boxes(GstBuffer *buffer, const char *roi_type, std::span<const BlobBox> boxes) {
  const GQuark type = g_quark_from_string(roi_type);
  gint id = 0;
  for (const BlobBox &b : boxes) {
    auto *meta = gst_buffer_add_video_region_of_interest_meta_id(
        buffer, type, static_cast<guint>(b.x), static_cast<guint>(b.y), static_cast<guint>(b.width),
        static_cast<guint>(b.height));
    gst_video_region_of_interest_meta_add_param(meta, parameter_of(b));
    meta->id = id++; // bindings find metas of one buffer by it: gst_buffer_get_..._meta_id()
    add_object_meta(buffer, type, b.x, b.y, b.width, b.height, static_cast<float>(confidence_of(b)));
  }
}

GstStructure *new_timed_structure(const char *name, const FrameTime &time) {
  return gst_structure_new(name, "timestamp", G_TYPE_UINT64, time.timestamp, "stream-time", G_TYPE_UINT64,
                           time.stream, "running-time", G_TYPE_UINT64, time.running, "duration",
                           G_TYPE_UINT64, time.duration, nullptr);
}

GstMessage *new_motion_message(GstElement *element, const char *name, const FrameTime &time,
                               double changed_fraction, std::span<const BlobBox> boxes) {
  GstStructure *s = new_timed_structure(name, time);
  gst_structure_set(s, "changed-fraction", G_TYPE_DOUBLE, changed_fraction, nullptr);
  GValue array = G_VALUE_INIT;
  g_value_init(&array, GST_TYPE_ARRAY);
  for (const BlobBox &b : boxes.first(std::min(boxes.size(), max_boxes_in_message))) append_box(&array, b);
  gst_structure_take_value(s, "boxes", &array);
  return gst_message_new_element(GST_OBJECT(element), s);
}

void post_motion(GstElement *element, Motion::Change change, const Motion &motion,
                 const MotionSettings &settings, const FrameTime &time, double changed_fraction,
                 std::span<const BlobBox> boxes) {
  if (change == Motion::Change::none || !settings.post_messages) return;
  const bool begins = change == Motion::Change::begin;
  GstMessage *message =
      new_motion_message(element, begins ? "motion-begin" : "motion-end", time, changed_fraction, boxes);
  if (!begins)
    gst_structure_set(gst_message_writable_structure(message), "quiet", G_TYPE_UINT64, motion.quiet(),
                      nullptr);
  gst_element_post_message(element, message);
}

GstClockTime duration_of(const GstVideoInfo &info, const FrameTime &time) {
  if (GST_CLOCK_TIME_IS_VALID(time.duration) && time.duration > 0) return time.duration;
  return frame_duration(info);
}

double seconds_of(const GstVideoInfo &info, const FrameTime &time, double before) {
  if (GST_CLOCK_TIME_IS_VALID(time.timestamp)) return double(time.timestamp) / GST_SECOND;
  return before + double(duration_of(info, time)) / GST_SECOND;
}

} // namespace vigil::gst
