// SPDX-License-Identifier: LGPL-2.1-or-later
#include "push_settings.h"

#include "../config/text.h"
#include "common/error.h"
#include "notice.h"

#include <algorithm>
#include <cstdio>

namespace vigil::monitor {
namespace {

using nlohmann::json;

[[noreturn]] void wrong(const std::string &name, const char *expected) {
  fail(Error::Kind::bad_setting, name, " is ", expected);
}

std::set<std::string> list_of(const std::string &name, const json &v) {
  constexpr std::size_t most = 256, longest = 80;
  if (!v.is_array() || v.size() > most) wrong(name, "a list of names, at most 256; an empty one means all");
  std::set<std::string> out;
  for (const json &one : v) {
    if (!one.is_string() || one.get_ref<const std::string &>().empty() ||
        one.get_ref<const std::string &>().size() > longest)
      wrong(name, "a list of names of at most 80 characters");
    out.insert(one.get<std::string>());
  }
  return out;
}

bool is_zone(const std::string &s) {
  constexpr std::size_t longest = 64;
  return s.size() <= longest && (s.empty() || s[0] != '/') && std::all_of(s.begin(), s.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                  c == '-' || c == '+' || c == '/';
         });
}

std::string clock_text(const QuietHours &q) {
  constexpr int hour = 60;
  char text[32];
  std::snprintf(text, sizeof text, "%02d:%02d-%02d:%02d", q.from / hour, q.from % hour, q.to / hour,
                q.to % hour);
  return text;
}

} // namespace

json to_json(const PushSettings &s) {
  return {{"cameras", s.cameras},   {"labels", s.labels},
          {"zones", s.zones},       {"quiet_hours", s.quiet ? json(clock_text(*s.quiet)) : json()},
          {"days", s.days},         {"min_interval", s.min_interval},
          {"language", s.language}, {"time_zone", s.time_zone}};
}

PushSettings changed_settings(PushSettings s, const json &changes) {
  if (!changes.is_object()) wrong("settings", "an object");
  for (const auto &[name, v] : changes.items()) {
    if (name == "cameras") {
      s.cameras = list_of(name, v);
    } else if (name == "labels") {
      s.labels = list_of(name, v);
    } else if (name == "zones") {
      s.zones = list_of(name, v);
    } else if (name == "quiet_hours") {
      if (!v.is_null() && !v.is_string()) wrong(name, R"("22:00-06:00" or null)");
      s.quiet = v.is_null() ? std::nullopt : std::optional(parse_quiet_hours(v.get<std::string>()));
    } else if (name == "days") {
      if (!v.is_array()) wrong(name, "a list of 1 (Monday) to 7; an empty one means all");
      s.days.clear();
      for (const json &day : v) {
        if (!day.is_number_integer() || day < 1 || day > 7) wrong(name, "a list of 1 (Monday) to 7");
        s.days.insert(day.get<int>());
      }
    } else if (name == "min_interval") {
      constexpr int day = 86400;
      if (!v.is_number() || !(v >= 0 && v <= day)) wrong(name, "a number of seconds from 0 to 86400");
      s.min_interval = v.get<double>();
    } else if (name == "language") {
      constexpr std::size_t longest = 16;
      if (!v.is_string() || v.get<std::string>().size() > longest || !is_zone(v.get<std::string>()))
        wrong(name, "a language such as de");
      s.language = v.get<std::string>();
    } else if (name == "time_zone") {
      if (!v.is_string() || !is_zone(v.get<std::string>())) wrong(name, "a time zone such as Europe/Berlin");
      s.time_zone = v.get<std::string>();
    } else {
      fail(Error::Kind::bad_setting, "there is no setting '", name.substr(0, 40),
           "'; there are cameras, labels, zones, quiet_hours, days, min_interval, language, time_zone");
    }
  }
  return s;
}

bool is_silent(const PushSettings &s, int day, int minute) {
  return (!s.days.empty() && !s.days.count(day)) || (s.quiet && is_quiet_at(*s.quiet, minute));
}

} // namespace vigil::monitor
