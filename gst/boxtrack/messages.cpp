// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/boxtrack/element.h"

#include <algorithm>

namespace vigil::gst::boxtrack {
namespace {

void append(GValue *array, GstStructure *s) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed(&value, s);
  gst_value_array_append_and_take_value(array, &value);
}

void post_track(GstElement *element, const char *name, const track::Object &o, const FrameTime &time,
                double now) {
  GstStructure *s = new_timed_structure(name, time);
  GstStructure *fields = describe("track", o, now);
  gst_structure_foreach(
      fields,
      [](GQuark field, const GValue *value, gpointer to) -> gboolean {
        gst_structure_id_set_value(static_cast<GstStructure *>(to), field, value);
        return TRUE;
      },
      s);
  gst_structure_free(fields);
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), s));
}

void post_update(GstElement *element, Impl &impl, const FrameTime &time) {
  GstStructure *s = new_timed_structure("track-update", time);
  GValue array = G_VALUE_INIT;
  g_value_init(&array, GST_TYPE_ARRAY);
  for (const track::Object &o : impl.tracker.objects())
    append(&array, describe("track", o, impl.place.seconds));
  gst_structure_take_value(s, "tracks", &array);
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), s));
}

} // namespace

GstStructure *describe(const char *name, const track::Object &o, double now) {
  const auto ns = [](double s) { return s > 0 ? static_cast<guint64>(s * GST_SECOND) : guint64{0}; };
  return gst_structure_new(
      name, "id", G_TYPE_UINT64, guint64(o.id), "type", G_TYPE_STRING, g_quark_to_string(o.label), "x",
      G_TYPE_DOUBLE, o.box.x, "y", G_TYPE_DOUBLE, o.box.y, "width", G_TYPE_DOUBLE, o.box.width, "height",
      G_TYPE_DOUBLE, o.box.height, "vx", G_TYPE_DOUBLE, o.vx, "vy", G_TYPE_DOUBLE, o.vy, "state",
      G_TYPE_STRING, track::name_of(o.state), "stationary", G_TYPE_BOOLEAN, gboolean(o.stationary), "age",
      G_TYPE_UINT64, ns(now - o.first_seen), "unseen", G_TYPE_UINT64, ns(now - o.last_seen), "group",
      G_TYPE_UINT64, guint64(o.group), nullptr);
}

void post_changes(GstElement *element, Impl &impl, const Settings &settings, const FrameTime &time) {
  const auto objects = impl.tracker.objects();
  const auto by_id = [](const track::Object &a, const track::Object &b) { return a.id < b.id; };
  guint64 begun = 0;
  for (const track::Object &o : impl.tracker.ended())
    if (settings.reports.post_messages) post_track(element, "track-end", o, time, impl.place.seconds);
  for (const track::Object &o : objects) {
    if (std::binary_search(impl.alive.begin(), impl.alive.end(), o, by_id)) continue;
    begun++;
    if (settings.reports.post_messages) post_track(element, "track-begin", o, time, impl.place.seconds);
  }
  impl.alive.assign(objects.begin(), objects.end());
  {
    const std::lock_guard lock(impl.mutex);
    impl.stats.begun += begun;
    impl.stats.ended += impl.tracker.ended().size();
    impl.stats.current = objects.size();
  }
  const auto interval = static_cast<GstClockTime>(settings.reports.update_interval) * GST_MSECOND;
  const auto now = static_cast<GstClockTime>(impl.place.seconds * GST_SECOND);
  if (!settings.reports.post_messages || interval == 0 || objects.empty() || now < impl.next_update) return;
  impl.next_update = now + interval;
  post_update(element, impl, time);
}

} // namespace vigil::gst::boxtrack
