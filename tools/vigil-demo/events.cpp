// SPDX-License-Identifier: LGPL-2.1-or-later
#include "events.h"

#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/json.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace vigil::demo {

using tools::JsonWriter;

namespace {

void add_structure(JsonWriter &, const GstStructure *);

bool is_time(GQuark field) {
  const std::string name = g_quark_to_string(field);
  return name == "timestamp" || name == "duration" || name.ends_with("-time");
}

template <class T>
bool convert(const GValue *from, GType type, T (*get)(const GValue *), T &to) {
  if (!g_value_type_transformable(G_VALUE_TYPE(from), type)) return false;
  GValue v = G_VALUE_INIT;
  g_value_init(&v, type);
  g_value_transform(from, &v);
  to = get(&v);
  g_value_unset(&v);
  return true;
}

void add_value(JsonWriter &json, GQuark field, const GValue *v) {
  double real = 0;
  gint64 whole = 0;
  if (G_VALUE_HOLDS_UINT64(v) && is_time(field)) {
    const guint64 time = g_value_get_uint64(v);
    if (GST_CLOCK_TIME_IS_VALID(time))
      json.value(static_cast<double>(time) / GST_SECOND);
    else
      json.null();
  } else if (GST_VALUE_HOLDS_ARRAY(v)) {
    json.begin_array();
    for (guint i = 0; i < gst_value_array_get_size(v); i++)
      add_value(json, field, gst_value_array_get_value(v, i));
    json.end_array();
  } else if (GST_VALUE_HOLDS_STRUCTURE(v)) {
    json.begin_object();
    add_structure(json, gst_value_get_structure(v));
    json.end_object();
  } else if (G_VALUE_HOLDS_BOOLEAN(v)) {
    json.value(g_value_get_boolean(v) != FALSE);
  } else if (G_VALUE_HOLDS_STRING(v)) {
    json.value(g_value_get_string(v) ? g_value_get_string(v) : "");
  } else if (G_VALUE_HOLDS_FLOAT(v) || G_VALUE_HOLDS_DOUBLE(v)) {
    convert(v, G_TYPE_DOUBLE, g_value_get_double, real);
    json.value(real);
  } else if (convert(v, G_TYPE_INT64, g_value_get_int64, whole)) {
    json.value(whole);
  } else {
    gst::TextPtr words(gst_value_serialize(v));
    json.value(words ? words.get() : "");
  }
}

void add_structure(JsonWriter &json, const GstStructure *s) {
  gst_structure_foreach(
      s,
      [](GQuark field, const GValue *v, gpointer data) -> gboolean {
        std::string name = g_quark_to_string(field);
        std::replace(name.begin(), name.end(), '-', '_');
        if (name == "type") name = "object_type"; // "type" is the message's name
        auto &writer = *static_cast<JsonWriter *>(data);
        writer.name(name);
        add_value(writer, field, v);
        return TRUE;
      },
      &json);
}

} // namespace

EventLog::EventLog(const std::string &path) : file_(path) {
  if (!file_) fail(Error::Kind::write, "cannot write ", path, ": ", std::strerror(errno));
}

void EventLog::write(const GstStructure *s) {
  JsonWriter json(false);
  json.begin_object().member("type", gst_structure_get_name(s));
  add_structure(json, s);
  file_ << json.end_object().text() << std::endl;
  counts_[gst_structure_get_name(s)]++;
}

void EventLog::finish(const Summary &s) {
  JsonWriter json(false);
  json.begin_object().member("type", "summary").member("element", s.element).member("input", s.input);
  json.member("frames", s.frames).member("frames_per_second", s.frames_per_second);
  json.member("element_milliseconds", s.element_milliseconds);
  if (!std::isnan(s.f_measure)) json.member("f_measure", s.f_measure);
  json.name("events").begin_object();
  for (const auto &[name, n] : counts_) json.member(name, n);
  file_ << json.end_object().end_object().text() << std::endl;
  if (!file_) fail(Error::Kind::write, "the list of events cannot be written: ", std::strerror(errno));
}

} // namespace vigil::demo
