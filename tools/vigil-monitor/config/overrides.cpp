// SPDX-License-Identifier: LGPL-2.1-or-later
#include "overrides.h"

#include "common/error.h"
#include "secrets.h"
#include "text.h"

#include <algorithm>
#include <cctype>
#include <yaml-cpp/yaml.h>

namespace vigil::monitor {

using nlohmann::json;

namespace {

constexpr const char *place = "overrides.json";

void only_keys(const json &j, std::initializer_list<std::string_view> known) {
  if (!j.is_object())
    fail(Error::Kind::bad_setting, "expected an object, found ",
         j.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 80));
  for (const auto &[key, value] : j.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail(Error::Kind::bad_setting, "there is no member '", key.substr(0, 80), "'");
}

std::vector<Point> points_from(const json &j) {
  const auto c = j.find("coordinates");
  if (c == j.end() || !c->is_string())
    fail(Error::Kind::bad_setting, "coordinates are missing: a text x1,y1,x2,y2,...");
  return parse_points(c->get_ref<const std::string &>());
}

std::vector<std::string> labels_from(const json &j) {
  const auto l = j.find("labels");
  if (l == j.end()) return {};
  std::vector<std::string> out;
  if (!l->is_array()) fail(Error::Kind::bad_setting, "labels is no list of names");
  for (const json &name : *l) {
    if (!name.is_string())
      fail(Error::Kind::bad_setting, "labels holds ", name.dump().substr(0, 80), ", no name");
    out.push_back(name.get<std::string>());
  }
  check_labels(out);
  return out;
}

// The others of chain_elements() are in the chain of those cameras whose configuration names them.
bool in_every_chain(const std::string &element) {
  return element == "cudamog" || element == "boxtrack" || element == "tracklabel" || element == "boxrules";
}

// With a variable of the environment in the place of the password: rtsp://admin:${YARD_PASSWORD}@host/
std::string exported_source(const std::string &camera, std::string source) {
  const auto settings = secret_settings(source);
  for (auto of = settings.rbegin(); of != settings.rend(); ++of)
    source.replace(of->first, of->second - of->first, "***");
  const std::size_t scheme = source.find("://");
  if (scheme == source.npos) return source;
  const std::size_t from = scheme + 3, end = std::min(source.find_first_of("/?#", from), source.size());
  const std::size_t sign = source.substr(0, end).rfind('@');
  if (sign == source.npos || sign < from) return source;
  const std::size_t colon = source.find(':', from);
  const std::size_t secret = colon < sign ? colon + 1 : from;
  std::string variable = camera + "_PASSWORD";
  for (char &c : variable)
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return source.replace(secret, sign - secret, "${" + variable + "}");
}

const json &member(const json &j, const char *name) {
  static const json none = json::object();
  const auto m = j.find(name);
  return m == j.end() ? none : *m;
}

} // namespace

json to_json(const Zone &z) {
  return {{"coordinates", points_text(z.points)}, {"loiter_seconds", z.loiter_seconds}, {"labels", z.labels}};
}
json to_json(const Line &l) {
  return {{"coordinates", points_text(l.points)}, {"direction", l.direction}, {"labels", l.labels}};
}
json to_json(const Mask &m) {
  return {{"coordinates", points_text(m.points)}};
}

Zone zone_from(const json &j) {
  only_keys(j, {"coordinates", "loiter_seconds", "labels"});
  Zone z{points_from(j), 0, labels_from(j)};
  check_polygon(z.points);
  if (const auto l = j.find("loiter_seconds"); l != j.end()) {
    if (!l->is_number() || l->get<double>() < 0 || l->get<double>() > 86400)
      fail(Error::Kind::bad_setting, "loiter_seconds ", l->dump(), " is no number from 0 to 86400");
    z.loiter_seconds = l->get<double>();
  }
  return z;
}

Line line_from(const json &j) {
  only_keys(j, {"coordinates", "direction", "labels"});
  Line line{points_from(j), "both", labels_from(j)};
  check_line(line.points);
  if (const auto d = j.find("direction"); d != j.end()) {
    if (*d != "both" && *d != "in" && *d != "out")
      fail(Error::Kind::bad_setting, "direction is none; allowed: both, in, out");
    line.direction = d->get<std::string>();
  }
  return line;
}

Mask mask_from(const json &j) {
  only_keys(j, {"coordinates"});
  Mask m{points_from(j)};
  check_polygon(m.points);
  return m;
}

Overrides::Overrides(const std::string &text) {
  json j = json::parse(text, nullptr, false);
  const auto refuse = [](const std::string &where, const std::string &what) {
    fail(Error::Kind::bad_data, place, ": ", where, what);
  };
  if (j.is_discarded() || !j.is_object() || !j.contains("cameras") || !j["cameras"].is_object())
    refuse("", "is no JSON object with \"cameras\"; mend it or move it away");
  for (const auto &[name, camera] : j["cameras"].items()) {
    const std::string where = "camera " + name + ": ";
    if (!is_name(name) || !camera.is_object()) refuse(where, "is no camera");
    try {
      only_keys(camera,
                {"zones", "lines", "masks", "unmasked", "privacy", "elements", "enabled", "recordings",
                 "motion", "device_events", "title", "privacy_fill", "privacy_silhouettes"});
      for (const char *kind : {"zones", "lines", "masks", "unmasked", "privacy"}) {
        if (!member(camera, kind).is_object()) refuse(where, std::string(kind) + " is no object");
        for (const auto &[shape, value] : member(camera, kind).items()) {
          if (!is_name(shape)) refuse(where, "'" + shape.substr(0, 80) + "' is no name");
          if (value.is_null()) continue;
          if (*kind == 'z')
            zone_from(value);
          else if (*kind == 'l')
            line_from(value);
          else
            mask_from(value);
        }
      }
      for (const char *flag : {"enabled", "recordings", "motion", "device_events", "privacy_silhouettes"})
        if (camera.contains(flag) && !camera[flag].is_boolean())
          refuse(where, std::string(flag) + " is neither true nor false");
      if (const auto fill = camera.find("privacy_fill"); fill != camera.end())
        if (!fill->is_string() || !fill_named(fill->get<std::string>()))
          refuse(where, "privacy_fill is neither black nor pixelate");
      if (const auto title = camera.find("title"); title != camera.end())
        if (!title->is_string() || (!title->get_ref<const std::string &>().empty() &&
                                    !is_title(title->get_ref<const std::string &>())))
          refuse(where, "title is none");
      if (!member(camera, "elements").is_object()) refuse(where, "elements is no object");
      for (const auto &[element, properties] : member(camera, "elements").items()) {
        if (!properties.is_object()) refuse(where, element + " is no object");
        for (const auto &[property, value] : properties.items())
          if (!value.is_string()) refuse(where, element + "." + property + " is no text");
      }
    } catch (const Error &e) {
      if (e.kind() == Error::Kind::bad_data) throw;
      refuse(where, e.what());
    }
  }
  if (!member(j, "added").is_object()) refuse("", "added is no object");
  for (const auto &[name, camera] : member(j, "added").items()) {
    if (!is_name(name)) refuse("added: ", "'" + name.substr(0, 80) + "' is no name");
    const auto good = [&camera = camera](const char *key) {
      return !camera.contains(key) || camera[key].is_string();
    };
    if (!camera.is_object() || !camera.contains("source") || !good("source") || !good("record_source") ||
        !good("onvif"))
      refuse("added: " + name + ": ", "is no camera with a source");
    add_camera(name, camera["source"].get<std::string>(), camera.value("record_source", ""),
               camera.value("onvif", ""));
  }
  all_["cameras"] = j["cameras"];
}

void Overrides::set_shape(const std::string &camera, const std::string &kind, const std::string &name,
                          const json &shape) {
  all_["cameras"][camera][kind][name] = shape;
}

void Overrides::set_property(const std::string &camera, const std::string &element,
                             const std::string &property, const std::string &value) {
  all_["cameras"][camera]["elements"][element][property] = value;
}

void Overrides::forget_property(const std::string &camera, const std::string &element,
                                const std::string &property) {
  if (!properties(camera, element).count(property)) return;
  all_["cameras"][camera]["elements"][element].erase(property);
}

void Overrides::set_switch(const std::string &camera, const std::string &name, bool on) {
  all_["cameras"][camera][name] = on;
}
void Overrides::set_privacy(const std::string &camera, const std::string &key, const json &value) {
  all_["cameras"][camera]["privacy_" + key] = value;
}
void Overrides::set_title(const std::string &camera, const std::string &title) {
  all_["cameras"][camera]["title"] = title;
}
void Overrides::forget(const std::string &camera) {
  all_["cameras"].erase(camera);
}

void Overrides::add_camera(const std::string &name, const std::string &source,
                           const std::string &record_source, const std::string &onvif) {
  for (const std::string &s : {source, record_source, onvif}) keep_secrets_of_source(s);
  json camera = {{"source", source}};
  if (!record_source.empty()) camera["record_source"] = record_source;
  if (!onvif.empty()) camera["onvif"] = onvif;
  all_["added"][name] = camera;
}

void Overrides::remove_camera(const std::string &name) {
  forget(name);
  if (!has_added(name)) return;
  all_["added"].erase(name);
  if (all_["added"].empty()) all_.erase("added");
}

bool Overrides::has_added(const std::string &name) const {
  return member(all_, "added").contains(name);
}

std::vector<CameraConfig> Overrides::added(const RecordConfig &record) const {
  std::vector<CameraConfig> out;
  for (const auto &[name, camera] : member(all_, "added").items()) {
    CameraConfig c;
    c.name = name;
    c.source = camera["source"].get<std::string>();
    c.record_source = camera.value("record_source", "");
    c.onvif = camera.value("onvif", "");
    c.record = record;
    c.place = place;
    c.added = true;
    out.push_back(std::move(c));
  }
  return out;
}

std::string Overrides::added_yaml() const {
  YAML::Emitter out;
  const auto shapes = [&](const json &o, const char *kind) {
    if (member(o, kind).empty()) return;
    out << YAML::Key << kind << YAML::Value << YAML::BeginMap;
    for (const auto &[name, shape] : member(o, kind).items())
      if (!shape.is_null()) out << YAML::Key << name << YAML::Value << YAML::Load(shape.dump());
    out << YAML::EndMap;
  };
  out << YAML::BeginMap << YAML::Key << "cameras" << YAML::Value << YAML::BeginMap;
  for (const auto &[name, camera] : member(all_, "added").items()) {
    const auto shown = [&camera = camera, &name = name](const char *key) {
      return exported_source(name, camera[key].get<std::string>());
    };
    const json &o = member(all_["cameras"], name.c_str());
    out << YAML::Key << name << YAML::Value << YAML::BeginMap << YAML::Key << "source" << YAML::Value;
    if (camera.contains("record_source"))
      out << YAML::BeginMap << YAML::Key << "detect" << YAML::Value << shown("source") << YAML::Key
          << "record" << YAML::Value << shown("record_source") << YAML::EndMap;
    else
      out << shown("source");
    if (const std::string title = o.value("title", ""); !title.empty())
      out << YAML::Key << "title" << YAML::Value << YAML::DoubleQuoted << title;
    if (camera.contains("onvif")) {
      out << YAML::Key << "onvif" << YAML::Value << YAML::BeginMap << YAML::Key << "address" << YAML::Value
          << shown("onvif");
      if (o.contains("device_events"))
        out << YAML::Key << "events" << YAML::Value << o["device_events"].get<bool>();
      out << YAML::EndMap;
    }
    for (const char *flag : {"enabled", "motion"})
      if (o.contains(flag)) out << YAML::Key << flag << YAML::Value << o[flag].get<bool>();
    if (o.contains("recordings"))
      out << YAML::Key << "record" << YAML::Value << YAML::BeginMap << YAML::Key << "enabled" << YAML::Value
          << o["recordings"].get<bool>() << YAML::EndMap;
    for (const char *kind : {"zones", "lines", "masks", "unmasked"}) shapes(o, kind);
    if (!member(o, "privacy").empty() || o.contains("privacy_fill") || o.contains("privacy_silhouettes")) {
      out << YAML::Key << "privacy" << YAML::Value << YAML::BeginMap;
      shapes(json{{"polygons", member(o, "privacy")}}, "polygons");
      if (o.contains("privacy_silhouettes"))
        out << YAML::Key << "silhouettes" << YAML::Value << o["privacy_silhouettes"].get<bool>();
      if (o.contains("privacy_fill"))
        out << YAML::Key << "fill" << YAML::Value << o["privacy_fill"].get<std::string>();
      out << YAML::EndMap;
    }
    for (const auto &[element, properties] : member(o, "elements").items())
      if (!properties.empty()) out << YAML::Key << element << YAML::Value << YAML::Load(properties.dump());
    out << YAML::EndMap;
  }
  out << YAML::EndMap << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

CameraConfig Overrides::applied(CameraConfig c) const {
  const auto found = all_["cameras"].find(c.name);
  if (found == all_["cameras"].end()) return c;
  const json &o = *found;
  const auto shapes = [&](const char *kind, auto &map, auto from) {
    for (const auto &[name, value] : member(o, kind).items()) {
      if (value.is_null())
        map.erase(name);
      else
        map[name] = from(value);
    }
  };
  shapes("zones", c.zones, zone_from);
  shapes("lines", c.lines, line_from);
  shapes("masks", c.masks, mask_from);
  shapes("unmasked", c.unmasked, mask_from);
  shapes("privacy", c.privacy.polygons, mask_from);
  for (const auto &[element, properties] : member(o, "elements").items()) {
    // One that was taken out of the configuration since does not come back into the chain.
    if (!in_every_chain(element) && !c.elements.count(element)) continue;
    for (const auto &[property, value] : properties.items())
      c.elements[element][property] = {value.get<std::string>(), place};
  }
  c.privacy.silhouettes = o.value("privacy_silhouettes", c.privacy.silhouettes);
  c.privacy.fill = fill_named(o.value("privacy_fill", "")).value_or(c.privacy.fill);
  c.title = o.value("title", c.title);
  c.enabled = o.value("enabled", c.enabled);
  c.motion = o.value("motion", c.motion);
  c.onvif_events = o.value("device_events", c.onvif_events);
  c.record.enabled = o.value("recordings", c.record.enabled);
  return c;
}

std::map<std::string, Setting> Overrides::properties(const std::string &camera,
                                                     const std::string &element) const {
  std::map<std::string, Setting> out;
  for (const auto &[property, value] :
       member(member(member(all_["cameras"], camera.c_str()), "elements"), element.c_str()).items())
    out[property] = {value.get<std::string>(), place};
  return out;
}

std::vector<std::string> Overrides::names(const std::string &camera) const {
  std::vector<std::string> out;
  const json &o = member(all_["cameras"], camera.c_str());
  for (const char *kind : {"zones", "lines", "masks", "unmasked", "privacy"})
    for (const auto &[name, value] : member(o, kind).items()) out.push_back(std::string(kind) + "." + name);
  for (const auto &[element, properties] : member(o, "elements").items())
    for (const auto &[property, value] : properties.items())
      out.push_back("elements." + element + "." + property);
  for (const char *key :
       {"title", "enabled", "recordings", "motion", "device_events", "privacy_fill", "privacy_silhouettes"})
    if (o.contains(key)) out.push_back(key);
  return out;
}

} // namespace vigil::monitor
