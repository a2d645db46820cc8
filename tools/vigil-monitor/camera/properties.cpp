// SPDX-License-Identifier: LGPL-2.1-or-later
#include "properties.h"

#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/preset.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <system_error>

namespace vigil::monitor {
namespace {

using nlohmann::json;

// The setting that is no property, but the name of one of the element's presets.
constexpr const char *preset_setting = "preset";

struct Value {
  GValue v = G_VALUE_INIT;
  explicit Value(GType t) { g_value_init(&v, t); }
  ~Value() { g_value_unset(&v); }
  Value(const Value &) = delete;
  Value &operator=(const Value &) = delete;
};

json as_json(const GValue *v) {
  if (G_VALUE_HOLDS_BOOLEAN(v)) return g_value_get_boolean(v) != FALSE;
  if (G_VALUE_HOLDS_INT(v)) return g_value_get_int(v);
  if (G_VALUE_HOLDS_UINT(v)) return g_value_get_uint(v);
  if (G_VALUE_HOLDS_INT64(v)) return g_value_get_int64(v);
  if (G_VALUE_HOLDS_UINT64(v)) return g_value_get_uint64(v);
  if (G_VALUE_HOLDS_FLOAT(v)) { // the shortest text that reads back as this float: 0.1, not 0.10000000149
    char text[32];
    const float f = g_value_get_float(v);
    double d = f;
    std::from_chars(text, std::to_chars(text, text + sizeof text, f).ptr, d);
    return std::isfinite(d) ? json(d) : json();
  }
  if (G_VALUE_HOLDS_DOUBLE(v))
    return std::isfinite(g_value_get_double(v)) ? json(g_value_get_double(v)) : json();
  if (G_VALUE_HOLDS_ENUM(v)) {
    auto *klass = static_cast<GEnumClass *>(g_type_class_ref(G_VALUE_TYPE(v)));
    const GEnumValue *e = g_enum_get_value(klass, g_value_get_enum(v));
    json out = e ? json(e->value_nick) : json(g_value_get_enum(v));
    g_type_class_unref(klass);
    return out;
  }
  if (G_VALUE_HOLDS_STRING(v)) return g_value_get_string(v) ? json(g_value_get_string(v)) : json();
  if (G_VALUE_HOLDS_OBJECT(v)) return nullptr;
  if (G_VALUE_HOLDS_BOXED(v) && !g_value_get_boxed(v)) return nullptr;
  const gst::TextPtr text(gst_value_serialize(v));
  return text ? json(text.get()) : json();
}

template <class Spec>
void add_range(json &j, const GParamSpec *spec) {
  const auto *s = reinterpret_cast<const Spec *>(spec);
  j["min"] = s->minimum;
  j["max"] = s->maximum;
}

void add_type(json &j, GParamSpec *spec) {
  const char *type = "other";
  if (G_IS_PARAM_SPEC_BOOLEAN(spec))
    type = "bool";
  else if (G_IS_PARAM_SPEC_INT(spec))
    type = "int", add_range<GParamSpecInt>(j, spec);
  else if (G_IS_PARAM_SPEC_UINT(spec))
    type = "int", add_range<GParamSpecUInt>(j, spec);
  else if (G_IS_PARAM_SPEC_INT64(spec))
    type = "int", add_range<GParamSpecInt64>(j, spec);
  else if (G_IS_PARAM_SPEC_UINT64(spec))
    type = "int", add_range<GParamSpecUInt64>(j, spec);
  else if (G_IS_PARAM_SPEC_FLOAT(spec))
    type = "float", add_range<GParamSpecFloat>(j, spec);
  else if (G_IS_PARAM_SPEC_DOUBLE(spec))
    type = "float", add_range<GParamSpecDouble>(j, spec);
  else if (G_IS_PARAM_SPEC_STRING(spec))
    type = "string";
  else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    type = "enum";
    json values = json::array();
    const GEnumClass *klass = G_PARAM_SPEC_ENUM(spec)->enum_class;
    for (guint i = 0; i < klass->n_values; i++)
      values.push_back({{"value", klass->values[i].value},
                        {"nick", klass->values[i].value_nick},
                        {"name", klass->values[i].value_name}});
    j["values"] = values;
  }
  j["type"] = type;
}

// The tables' texts name units in words: a text begins with what the number counts, or says what it is
// measured in. A unit anywhere else in the text is one of something else ("Gaussians that a pixel can have").
json unit_of(GParamSpec *spec) {
  json range;
  add_type(range, spec);
  if (!range.contains("min")) return nullptr; // no number
  const char *text = g_param_spec_get_blurb(spec);
  const std::string_view blurb = text ? text : "";
  for (const auto &[word, unit] : {std::pair{"Milliseconds ", "ms"},
                                   {"Seconds ", "s"},
                                   {"Pixels ", "px"},
                                   {"Foreground pixels ", "px"},
                                   {"Frames ", "frames"},
                                   {"Scored frames ", "frames"}})
    if (blurb.starts_with(word)) return unit;
  for (const auto &[words, unit] :
       {std::pair{"in pixels", "px"}, {"+1 pixels", "px"}, {"in grey levels squared", "grey levels²"}})
    if (blurb.find(words) != blurb.npos) return unit;
  return nullptr;
}

const char *mutability(const GParamSpec *spec) {
  if (spec->flags & (GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE)) return "playing";
  if (spec->flags & GST_PARAM_MUTABLE_PAUSED) return "paused";
  if (spec->flags & GST_PARAM_MUTABLE_READY) return "ready";
  return "null";
}

GParamSpec *find_spec(GObjectClass *klass, const char *factory, const std::string &property) {
  GParamSpec *spec = g_object_class_find_property(klass, property.c_str());
  if (spec && (spec->flags & G_PARAM_WRITABLE)) return spec;
  std::string known;
  guint n = 0;
  GParamSpec **all = g_object_class_list_properties(klass, &n);
  for (guint i = 0; i < n; i++)
    if ((all[i]->flags & G_PARAM_WRITABLE) && all[i]->owner_type != GST_TYPE_OBJECT)
      known += std::string(" ") + all[i]->name;
  g_free(all);
  fail(Error::Kind::bad_setting, factory, " has no property '", property,
       "' that can be set; it has:", known);
}

std::string allowed(GParamSpec *spec) {
  json j;
  add_type(j, spec);
  if (j.contains("min")) return text("a number from ", j["min"].dump(), " to ", j["max"].dump());
  if (j["type"] == "bool") return "true or false";
  if (j["type"] == "enum") {
    std::string out = "one of";
    for (const auto &v : j["values"]) out += " " + v["nick"].get<std::string>();
    return out;
  }
  return std::string("a ") + g_type_name(spec->value_type);
}

void parse_value(GValue *v, GParamSpec *spec, const char *factory, const std::string &value) {
  const auto refuse = [&] {
    fail(Error::Kind::bad_setting, factory, "'s ", spec->name, " cannot be '", value.substr(0, 80),
         "'; allowed is ", allowed(spec));
  };
  // A string is taken as it is: deserialising would read quotes and backslashes.
  if (spec->value_type == G_TYPE_STRING) {
    g_value_set_string(v, value.c_str());
    return;
  }
  bool good = false;
  if (G_IS_PARAM_SPEC_ENUM(spec)) { // by nick or number, not by whatever GStreamer also takes
    const GEnumClass *klass = G_PARAM_SPEC_ENUM(spec)->enum_class;
    for (guint i = 0; i < klass->n_values && !good; i++)
      if (value == klass->values[i].value_nick || value == std::to_string(klass->values[i].value)) {
        g_value_set_enum(v, klass->values[i].value);
        good = true;
      }
  } else if (G_IS_PARAM_SPEC_FLOAT(spec) || G_IS_PARAM_SPEC_DOUBLE(spec)) {
    double d = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), d);
    good = error == std::errc() && end == value.data() + value.size() && std::isfinite(d);
    if (G_IS_PARAM_SPEC_FLOAT(spec))
      g_value_set_float(v, static_cast<float>(d));
    else
      g_value_set_double(v, d);
  } else {
    good = gst_value_deserialize(v, value.c_str());
  }
  if (!good) refuse();
  // The specification would quietly clamp what lies outside of its range.
  if (g_param_value_validate(spec, v)) refuse();
}

} // namespace

void set_property(GstElement *e, const std::string &property, const std::string &value) {
  const char *factory = GST_OBJECT_NAME(gst_element_get_factory(e));
  GParamSpec *spec = find_spec(G_OBJECT_GET_CLASS(e), factory, property);
  Value v(spec->value_type);
  parse_value(&v.v, spec, factory, value);
  g_object_set_property(G_OBJECT(e), spec->name, &v.v);
}

void apply_settings(GstElement *e, const std::map<std::string, Setting> &settings,
                    const std::function<void(const std::string &)> &refused) {
  for (const bool presets : {true, false})
    for (const auto &[name, setting] : settings) try {
        if ((name == preset_setting) != presets) continue;
        if (presets)
          tools::load_preset(e, setting.value);
        else
          set_property(e, name, setting.value);
      } catch (const Error &error) {
        refused(error.what());
      }
}

std::string property_text(const json &j) {
  return j.is_string() ? j.get<std::string>() : j.dump();
}

bool is_reserved(const std::string &element, const std::string &property) {
  static const std::set<std::string> everywhere = {"name", "parent"};
  static const std::set<std::string> cudamog = {"output", "mask-location", "model-location", "post-messages"};
  static const std::set<std::string> boxrules = {"rules", "rules-location"};
  return everywhere.count(property) || (element == "cudamog" && cudamog.count(property)) ||
         (element == "boxrules" && boxrules.count(property));
}

json describe_element(GstElement *e, const std::map<std::string, Setting> &configured,
                      const std::map<std::string, Setting> &overridden) {
  GstElementFactory *factory = gst_element_get_factory(e);
  const std::string name = GST_OBJECT_NAME(factory);
  json properties = json::array();
  guint n = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(e), &n);
  // The element's own first, then those of the classes that it derives from.
  std::stable_sort(all, all + n, [](const GParamSpec *a, const GParamSpec *b) {
    return g_type_depth(a->owner_type) > g_type_depth(b->owner_type);
  });
  for (guint i = 0; i < n; i++) {
    GParamSpec *spec = all[i];
    if (spec->owner_type == GST_TYPE_OBJECT || !(spec->flags & G_PARAM_READABLE)) continue;
    const std::string p = spec->name;
    Value now(spec->value_type);
    g_object_get_property(G_OBJECT(e), spec->name, &now.v);
    const char *nick = g_param_spec_get_nick(spec), *blurb = g_param_spec_get_blurb(spec);
    json j = {{"name", p},
              {"nick", nick ? nick : p},
              {"blurb", blurb ? blurb : ""},
              {"gtype", g_type_name(spec->value_type)},
              {"default", as_json(g_param_spec_get_default_value(spec))},
              {"value", as_json(&now.v)},
              {"configured", nullptr},
              {"unit", unit_of(spec)},
              {"writable", (spec->flags & G_PARAM_WRITABLE) && !is_reserved(name, p)},
              {"mutable", mutability(spec)},
              {"overridden", overridden.count(p) != 0}};
    add_type(j, spec);
    if (const auto c = configured.find(p); c != configured.end()) j["configured"] = c->second.value;
    properties.push_back(j);
  }
  g_free(all);
  const char *description = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_DESCRIPTION);
  return {{"name", name},
          {"factory", name},
          {"gtype", G_OBJECT_TYPE_NAME(e)},
          {"description", description ? description : ""},
          {"properties", properties}};
}

std::string launch_text(GstElement *e) {
  const std::string name = GST_OBJECT_NAME(gst_element_get_factory(e));
  std::string out = name;
  guint n = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(e), &n);
  for (guint i = 0; i < n; i++) {
    GParamSpec *spec = all[i];
    constexpr int both = G_PARAM_READABLE | G_PARAM_WRITABLE;
    if (spec->owner_type == GST_TYPE_OBJECT || (spec->flags & both) != both || is_reserved(name, spec->name))
      continue;
    Value now(spec->value_type);
    g_object_get_property(G_OBJECT(e), spec->name, &now.v);
    if (g_param_value_defaults(spec, &now.v)) continue;
    const json v = as_json(&now.v);
    if (!v.is_null()) out += std::string(" ") + spec->name + "=" + v.dump();
  }
  g_free(all);
  return out;
}

bool changes_while_playing(GstElement *e, const std::string &property) {
  const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(e), property.c_str());
  return spec && !std::strcmp(mutability(spec), "playing");
}

void check_settings(const ElementSettings &settings) {
  for (const auto &[element, properties] : settings) {
    const gst::ObjectPtr<GstElement> e(gst_element_factory_make(element.c_str(), nullptr));
    if (!e) {
      const std::string where = properties.empty() ? "" : properties.begin()->second.place + ": ";
      fail(Error::Kind::bad_setting, where, "GStreamer has no element ", element,
           " here; is the plugin installed and new enough? (gst-inspect-1.0 ", element, ")");
    }
    gst_object_ref_sink(e.get());
    for (const auto &[property, setting] : properties) {
      try {
        if (is_reserved(element, property))
          fail(Error::Kind::bad_setting, element, "'s ", property, " is set by vigil-monitor itself");
        if (property == preset_setting) {
          tools::load_preset(e.get(), setting.value);
          continue;
        }
        GParamSpec *spec = find_spec(G_OBJECT_GET_CLASS(e.get()), element.c_str(), property);
        Value v(spec->value_type);
        parse_value(&v.v, spec, element.c_str(), setting.value);
      } catch (const Error &error) {
        fail(Error::Kind::bad_setting, setting.place.empty() ? "" : setting.place + ": ", error.what());
      }
    }
  }
}

} // namespace vigil::monitor
