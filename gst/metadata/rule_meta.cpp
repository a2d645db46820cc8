// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/rule_meta.h"

#include "gst/compat.h"
#include "gst/metadata/track_meta.h"

#include <string>

namespace vigil::gst {
namespace {

constexpr const char *events_field = "events";

void append_events(GstStructure *to, std::span<const StructurePtr> events) {
  GValue array = G_VALUE_INIT;
  if (const GValue *before = gst_structure_get_value(to, events_field)) {
    g_value_init(&array, GST_TYPE_ARRAY);
    g_value_copy(before, &array);
  } else {
    gst_value_array_init(&array, static_cast<guint>(events.size()));
  }
  for (const StructurePtr &e : events) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_set_boxed(&value, e.get());
    gst_value_array_append_and_take_value(&array, &value);
  }
  gst_structure_take_value(to, events_field, &array);
}

std::vector<const GstStructure *> events_in(const GstStructure *s) {
  std::vector<const GstStructure *> all;
  const GValue *array = s ? gst_structure_get_value(s, events_field) : nullptr;
  if (!array || !GST_VALUE_HOLDS_ARRAY(array)) return all;
  for (guint i = 0; i < gst_value_array_get_size(array); i++) {
    const GValue *value = gst_value_array_get_value(array, i);
    if (GST_VALUE_HOLDS_STRUCTURE(value)) all.push_back(gst_value_get_structure(value));
  }
  return all;
}

void add_to_track(GstBuffer *buffer, guint64 track, const GstStructure *event) {
  gpointer state = nullptr;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    if (track_of(roi) == track) gst_video_region_of_interest_meta_add_param(roi, gst_structure_copy(event));
  }
  std::vector<std::string> words{gst_structure_get_name(event)};
  for (const char *field : {"zone", "line", "direction"})
    if (const char *word = gst_structure_get_string(event, field)) words.emplace_back(word);
  add_track_event(buffer, track, words);
}

} // namespace

void register_rules_meta() {
  static const gchar *tags[] = {nullptr};
  if (!gst_meta_get_info(rules_meta)) gst_meta_register_custom(rules_meta, tags, nullptr, nullptr, nullptr);
}

void add_rule_events(GstBuffer *buffer, std::span<const StructurePtr> events) {
  if (events.empty()) return;
  GstCustomMeta *meta = gst_buffer_get_custom_meta(buffer, rules_meta);
  if (!meta) meta = gst_buffer_add_custom_meta(buffer, rules_meta);
  append_events(gst_custom_meta_get_structure(meta), events);
  for (const StructurePtr &e : events) {
    guint64 track = 0;
    if (gst_structure_get_uint64(e.get(), "id", &track)) add_to_track(buffer, track, e.get());
  }
}

GstEvent *new_rules_event(std::span<const StructurePtr> events) {
  GstStructure *s = gst_structure_new_empty(rules_meta);
  append_events(s, events);
  return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, s);
}

std::vector<const GstStructure *> rule_events_on(GstBuffer *buffer) {
  GstCustomMeta *meta =
      gst_meta_get_info(rules_meta) ? gst_buffer_get_custom_meta(buffer, rules_meta) : nullptr;
  return events_in(meta ? gst_custom_meta_get_structure(meta) : nullptr);
}

std::vector<const GstStructure *> rule_events_of(GstEvent *event) {
  if (GST_EVENT_TYPE(event) != GST_EVENT_CUSTOM_DOWNSTREAM || !gst_event_has_name(event, rules_meta))
    return {};
  return events_in(gst_event_get_structure(event));
}

} // namespace vigil::gst
