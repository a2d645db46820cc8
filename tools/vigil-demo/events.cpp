// SPDX-License-Identifier: LGPL-2.1-or-later
#include "events.h"

#include "common/error.h"
#include "tools/base/gst_ptr.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <json-glib/json-glib.h>

namespace vigil::demo {

namespace {

using Builder = std::unique_ptr<JsonBuilder, tools::Releaser<g_object_unref>>;

std::string line_of(JsonBuilder *b) {
  std::unique_ptr<JsonNode, tools::Releaser<json_node_unref>> root(json_builder_get_root(b));
  tools::TextPtr words(json_to_string(root.get(), FALSE));
  return std::string(words.get()) + "\n";
}

void add_structure(JsonBuilder *, const GstStructure *);

bool is_time(GQuark field) {
  const std::string name = g_quark_to_string(field);
  return name == "timestamp" || name == "duration" || name.ends_with("-time");
}

void add_value(JsonBuilder *b, GQuark field, const GValue *v) {
  GValue other = G_VALUE_INIT;
  if (G_VALUE_HOLDS_UINT64(v) && is_time(field)) {
    const guint64 time = g_value_get_uint64(v);
    if (GST_CLOCK_TIME_IS_VALID(time))
      json_builder_add_double_value(b, static_cast<double>(time) / GST_SECOND);
    else
      json_builder_add_null_value(b);
  } else if (GST_VALUE_HOLDS_ARRAY(v)) {
    json_builder_begin_array(b);
    for (guint i = 0; i < gst_value_array_get_size(v); i++)
      add_value(b, field, gst_value_array_get_value(v, i));
    json_builder_end_array(b);
  } else if (GST_VALUE_HOLDS_STRUCTURE(v)) {
    json_builder_begin_object(b);
    add_structure(b, gst_value_get_structure(v));
    json_builder_end_object(b);
  } else if (G_VALUE_HOLDS_BOOLEAN(v)) {
    json_builder_add_boolean_value(b, g_value_get_boolean(v));
  } else if (G_VALUE_HOLDS_FLOAT(v) || G_VALUE_HOLDS_DOUBLE(v)) {
    g_value_init(&other, G_TYPE_DOUBLE);
    g_value_transform(v, &other);
    json_builder_add_double_value(b, g_value_get_double(&other));
  } else if (g_value_type_transformable(G_VALUE_TYPE(v), G_TYPE_INT64)) {
    g_value_init(&other, G_TYPE_INT64);
    g_value_transform(v, &other);
    json_builder_add_int_value(b, g_value_get_int64(&other));
  } else {
    tools::TextPtr words(gst_value_serialize(v));
    json_builder_add_string_value(b, words.get());
  }
  if (G_IS_VALUE(&other)) g_value_unset(&other);
}

void add_structure(JsonBuilder *b, const GstStructure *s) {
  gst_structure_foreach(
      s,
      [](GQuark field, const GValue *v, gpointer builder) -> gboolean {
        std::string name = g_quark_to_string(field);
        std::replace(name.begin(), name.end(), '-', '_');
        json_builder_set_member_name(static_cast<JsonBuilder *>(builder), name.c_str());
        add_value(static_cast<JsonBuilder *>(builder), field, v);
        return TRUE;
      },
      b);
}

} // namespace

EventLog::EventLog(const std::string &path) : file_(path) {
  if (!file_) fail(Error::Kind::io, "cannot write ", path, ": ", std::strerror(errno));
}

void EventLog::write(const GstStructure *s) {
  Builder b(json_builder_new());
  json_builder_begin_object(b.get());
  json_builder_set_member_name(b.get(), "type");
  json_builder_add_string_value(b.get(), gst_structure_get_name(s));
  add_structure(b.get(), s);
  json_builder_end_object(b.get());
  file_ << line_of(b.get()) << std::flush;
  counts_[gst_structure_get_name(s)]++;
}

void EventLog::finish(const Summary &s) {
  Builder b(json_builder_new());
  const auto number = [&](const char *name, double v) {
    json_builder_set_member_name(b.get(), name);
    json_builder_add_double_value(b.get(), v);
  };
  const auto words = [&](const char *name, const std::string &v) {
    json_builder_set_member_name(b.get(), name);
    json_builder_add_string_value(b.get(), v.c_str());
  };
  const auto count = [&](const char *name, std::uint64_t v) {
    json_builder_set_member_name(b.get(), name);
    json_builder_add_int_value(b.get(), static_cast<gint64>(v));
  };
  json_builder_begin_object(b.get());
  words("type", "summary");
  words("element", s.element);
  words("input", s.input);
  count("frames", s.frames);
  number("frames_per_second", s.frames_per_second);
  number("element_milliseconds", s.element_milliseconds);
  if (!std::isnan(s.f_measure)) number("f_measure", s.f_measure);
  json_builder_set_member_name(b.get(), "events");
  json_builder_begin_object(b.get());
  for (const auto &[name, n] : counts_) count(name.c_str(), static_cast<std::uint64_t>(n));
  json_builder_end_object(b.get());
  json_builder_end_object(b.get());
  file_ << line_of(b.get()) << std::flush;
  if (!file_) fail(Error::Kind::io, "the list of events cannot be written: ", std::strerror(errno));
}

} // namespace vigil::demo
