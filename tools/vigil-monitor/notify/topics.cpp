// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topics.h"

#include "../config/text.h"

#include <cstdint>
#include <cstdio>
#include <set>
#include <string_view>

namespace vigil::monitor {

using nlohmann::json;

namespace {

// What can be wrong with a camera's view, and Home Assistant's title for it.
constexpr std::pair<const char *, const char *> troubles[] = {
    {"covered", "Covered"}, {"blurred", "Out of focus"}, {"moved", "Moved"}};

const char *on_off(bool b) {
  return b ? "ON" : "OFF";
}

std::string at(const std::string &prefix, const std::string &camera, const std::string &what) {
  std::string out = prefix;
  out.append("/").append(camera).append("/").append(what);
  return out;
}

// A class of a model can have any name, but none of ours.
bool can_be_topic(const std::string &name) {
  static const std::set<std::string> ours = {"available",  "motion",  "last_event", "snapshot",
                                             "light_jump", "enabled", "recordings", "covered",
                                             "blurred",    "moved"};
  return !name.empty() && name.size() <= 64 && name.find_first_of(std::string("/#+\0", 4)) == name.npos &&
         !ours.count(name);
}

// A label as one level of a topic: each of / # + as a percent code, and so is a % that would be read as the
// begin of one, so that two labels never have one topic. All other characters are as they are.
std::string level_of(const std::string &label) {
  static constexpr std::pair<char, const char *> codes[] = {
      {'/', "%2F"}, {'#', "%23"}, {'+', "%2B"}, {'%', "%25"}};
  const auto begins_code = [](std::string_view rest) {
    for (const auto &[sign, code] : codes)
      if (rest.starts_with(code)) return true;
    return false;
  };
  std::string out;
  for (std::size_t i = 0; i < label.size(); i++) {
    std::string as(1, label[i]);
    for (const auto &[sign, code] : codes)
      if (label[i] == sign && (sign != '%' || begins_code(std::string_view(label).substr(i)))) as = code;
    out += as;
  }
  return out;
}

// Home Assistant takes letters, digits, _ and - in a discovery topic.
std::string identifier(std::string name) {
  for (char &c : name)
    if (!is_name(std::string_view(&c, 1))) c = '_';
  return name;
}

// The same, and another one for each label: letters of other alphabets would all be _.
std::string identifier_of_label(const std::string &label) {
  const std::string plain = identifier(label);
  if (plain == label) return plain;
  std::uint32_t hash = 2166136261u; // FNV-1a
  for (const char c : label) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  char tail[16];
  std::snprintf(tail, sizeof tail, "_%08x", static_cast<unsigned>(hash));
  return plain + tail;
}

void add_label_states(const std::string &prefix, const std::string &camera, const std::string &label,
                      int count, std::vector<Topic> &out) {
  const std::string topic = at(prefix, camera, "labels/" + level_of(label));
  out.push_back({topic + "/count", std::to_string(count)});
  out.push_back({topic + "/motion", on_off(count > 0)});
}

std::string word(const json &j, const char *member) {
  return j.at(member).get<std::string>();
}

} // namespace

std::string event_message(const std::string &type, const std::optional<Event> &before, const Event &after) {
  return json{
      {"type", type}, {"before", before ? to_json(*before) : to_json(after)}, {"after", to_json(after)}}
      .dump();
}

std::vector<Topic> camera_states(const std::string &prefix, const json &c) {
  const std::string name = word(c, "name");
  std::vector<Topic> out = {
      {at(prefix, name, "available"), word(c, "state") == "online" ? "online" : "offline"},
      {at(prefix, name, "motion"), on_off(c.at("motion").get<bool>())},
      {at(prefix, name, "enabled/state"), on_off(word(c, "state") != "disabled")},
      {at(prefix, name, "recordings/state"), on_off(c.at("record_enabled").get<bool>())},
      {at(prefix, name, "motion/state"), on_off(c.at("motion_enabled").get<bool>())}};
  for (const auto &[what, title] : troubles)
    out.push_back({at(prefix, name, what), on_off(c.at("trouble").contains(what))});
  for (const auto &[what, now] : c.at("classes").items())
    if (can_be_topic(what)) out.push_back({at(prefix, name, what), on_off(now.get<bool>())});
  for (const auto &[label, count] : c.at("labels").items())
    add_label_states(prefix, name, label, count.get<int>(), out);
  return out;
}

std::vector<Topic> record_states(const std::string &prefix, const json &r) {
  const std::string kind = r.value("kind", "");
  if (kind == "camera") return camera_states(prefix, r.at("camera"));
  if (kind == "light_jump") return {{at(prefix, word(r, "camera"), "light_jump"), r.at("time").dump()}};
  if (kind == "count") {
    const std::string zone = word(r, "zone");
    return {{at(prefix, word(r, "camera"), zone + "/count"), r.at("count").dump()},
            {at(prefix, word(r, "camera"), zone + "/motion"), on_off(r.at("count").get<int>() > 0)}};
  }
  if (kind == "line") {
    const std::string line = word(r, "line");
    std::vector<Topic> out = {{at(prefix, word(r, "camera"), line + "/in"), r.at("in").dump()},
                              {at(prefix, word(r, "camera"), line + "/out"), r.at("out").dump()}};
    for (const auto &[label, of] : r.at("labels").items())
      for (const char *way : {"in", "out"})
        out.push_back({at(prefix, word(r, "camera"), line + "/labels/" + level_of(label) + "/" + way),
                       of.at(way).dump()});
    return out;
  }
  if (kind == "label_count") {
    std::vector<Topic> out;
    add_label_states(prefix, word(r, "camera"), word(r, "label"), r.at("count").get<int>(), out);
    return out;
  }
  return {};
}

std::vector<Topic> discovery(const std::string &prefix, const std::string &node, const std::string &devices,
                             const json &camera, bool commands) {
  const std::string name = word(camera, "name"), unique = "vigil_" + identifier(devices) + "_" + name;
  const json device = {{"identifiers", {unique}},
                       {"name", "Vigil " + camera.value("title", name)},
                       {"manufacturer", "Vigil"},
                       {"model", "camera"}};
  const json available = {{{"topic", prefix + "/node/" + node + "/available"}},
                          {{"topic", at(prefix, name, "available")}}};
  std::vector<Topic> out;
  const bool analysed = camera.value("analysed", true);
  // What the analysis says is taken back of a camera that is not analysed.
  const auto add = [&](const char *component, const std::string &what, json config, bool of_analysis = true) {
    config["unique_id"] = unique + "_" + what;
    config["object_id"] = unique + "_" + what;
    config["device"] = device;
    config["availability"] = available;
    config["availability_mode"] = "all";
    std::string topic = "homeassistant/";
    topic.append(component).append("/").append(unique).append("/").append(what).append("/config");
    out.push_back({topic, of_analysis && !analysed ? "" : config.dump()});
  };
  add("binary_sensor", "motion",
      {{"name", "Motion"}, {"device_class", "motion"}, {"state_topic", at(prefix, name, "motion")}});
  for (const auto &[what, title] : troubles)
    add("binary_sensor", what,
        {{"name", title}, {"device_class", "problem"}, {"state_topic", at(prefix, name, what)}});
  add("camera", "snapshot", {{"name", "Last event"}, {"topic", at(prefix, name, "snapshot")}}, false);
  for (const auto &[what, title] :
       {std::pair{"recordings", "Recordings"}, std::pair{"motion", "Motion detection"}}) {
    const std::string topic = at(prefix, name, what);
    add("switch", std::string(what) + "_switch",
        {{"name", title}, {"state_topic", topic + "/state"}, {"command_topic", topic + "/set"}},
        std::string_view(what) == "motion");
    if (!commands) out.back().payload.clear();
  }
  for (const auto &[zone, shape] : camera.at("zones").items()) {
    static_cast<void>(shape);
    add("sensor", zone + "_count",
        {{"name", zone + " count"},
         {"state_topic", at(prefix, name, zone + "/count")},
         {"state_class", "measurement"}});
    add("binary_sensor", zone + "_occupancy",
        {{"name", zone + " occupancy"},
         {"device_class", "occupancy"},
         {"state_topic", at(prefix, name, zone + "/motion")}});
  }
  for (const auto &[what, now] : camera.at("classes").items()) {
    static_cast<void>(now);
    if (can_be_topic(what))
      add("binary_sensor", "class_" + identifier(what),
          {{"name", what}, {"state_topic", at(prefix, name, what)}});
  }
  for (const auto &[label, now] : camera.at("labels").items()) {
    static_cast<void>(now);
    const std::string topic = at(prefix, name, "labels/" + level_of(label)),
                      what = "label_" + identifier_of_label(label);
    // No zone's sensors end so: a zone may be named label_person.
    add("sensor", what + "_objects",
        {{"name", label + " count"}, {"state_topic", topic + "/count"}, {"state_class", "measurement"}});
    add("binary_sensor", what + "_present",
        {{"name", label}, {"device_class", "occupancy"}, {"state_topic", topic + "/motion"}});
  }
  for (const auto &[line, shape] : camera.at("lines").items()) {
    static_cast<void>(shape);
    for (const char *direction : {"in", "out"}) {
      std::string what = line + "_";
      what += direction;
      std::string title = line + " ";
      title += direction;
      add("sensor", what,
          {{"name", title},
           {"state_topic", at(prefix, name, line + "/" + direction)},
           {"state_class", "total_increasing"}});
    }
  }
  return out;
}

std::optional<Command> parse_command(const std::string &prefix, const std::string &topic,
                                     const std::string &payload) {
  if (!topic.starts_with(prefix + "/")) return std::nullopt;
  const std::string rest = topic.substr(prefix.size() + 1);
  const std::size_t first = rest.find('/'), second = rest.find('/', first == rest.npos ? first : first + 1);
  if (second == rest.npos || rest.substr(second) != "/set" || (payload != "ON" && payload != "OFF"))
    return std::nullopt;
  const Command c{rest.substr(0, first), rest.substr(first + 1, second - first - 1), payload == "ON"};
  if (!is_name(c.camera)) return std::nullopt;
  if (c.name != "enabled" && c.name != "recordings" && c.name != "motion") return std::nullopt;
  return c;
}

} // namespace vigil::monitor
