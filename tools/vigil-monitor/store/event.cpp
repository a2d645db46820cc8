// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>

namespace vigil::monitor {
namespace {

std::tm utc_parts(double time) {
  const auto seconds = static_cast<std::time_t>(std::floor(time));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return parts;
}

std::string format(double time, const char *pattern) {
  const std::tm parts = utc_parts(time);
  char out[64];
  return std::string(out, std::strftime(out, sizeof out, pattern, &parts));
}

int milliseconds(double time) {
  return std::min(999, static_cast<int>((time - std::floor(time)) * 1000));
}

} // namespace

nlohmann::json to_json(const Event &e) {
  nlohmann::json box;
  if (e.box) box = {{"x", e.box->x}, {"y", e.box->y}, {"width", e.box->width}, {"height", e.box->height}};
  return {{"id", e.id},
          {"camera", e.camera},
          {"label", e.label},
          {"start_time", e.start_time},
          {"end_time", e.end_time ? nlohmann::json(*e.end_time) : nlohmann::json()},
          {"zones", e.zones},
          {"box", box},
          {"score", e.score},
          {"has_clip", e.has_clip},
          {"has_snapshot", e.has_snapshot},
          {"clip_start", e.has_clip && e.clip_start ? nlohmann::json(*e.clip_start) : nlohmann::json()},
          {"clip_end", e.has_clip && e.clip_end ? nlohmann::json(*e.clip_end) : nlohmann::json()},
          {"clip_bytes", e.clip_bytes},
          {"has_vector", e.has_vector},
          {"retained", e.retained},
          {"continues", e.continues.empty() ? nlohmann::json() : nlohmann::json(e.continues)},
          {"labels", to_json(e.labels)}};
}

std::string new_event_id(double start_time, const std::string &camera) {
  static thread_local std::mt19937 random{std::random_device{}()};
  char tail[16];
  std::snprintf(tail, sizeof tail, "%03d", milliseconds(start_time));
  std::string id = format(start_time, "%Y%m%dT%H%M%S") + tail + "-" + camera;
  std::snprintf(tail, sizeof tail, "-%04x", static_cast<unsigned>(random() & 0xffff));
  return id + tail;
}

bool is_event_id(std::string_view s) {
  return !s.empty() && s.size() <= 80 && s.find("..") == s.npos &&
         std::all_of(s.begin(), s.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                  c == '-' || c == '.';
         });
}

std::optional<Event> event_of_id(const std::string &id) {
  // YYYYMMDDTHHMMSSmmm-CAMERA-xxxx
  constexpr std::size_t stamp = 18, tail = 5;
  if (!is_event_id(id) || id.size() < stamp + 1 + 1 + tail || id[stamp] != '-' || id[id.size() - tail] != '-')
    return std::nullopt;
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (!std::all_of(id.end() - tail + 1, id.end(), is_hex)) return std::nullopt;
  std::tm parts{};
  int ms = 0, used = 0;
  if (std::sscanf(id.c_str(), "%4d%2d%2dT%2d%2d%2d%3d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                  &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &ms, &used) != 7 ||
      static_cast<std::size_t>(used) != stamp)
    return std::nullopt;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  Event e;
  e.id = id;
  e.camera = id.substr(stamp + 1, id.size() - stamp - 1 - tail);
  e.start_time = static_cast<double>(timegm(&parts)) + ms / 1000.0;
  // Digits that are no date, such as a 31st of February, would name another day.
  if (format(e.start_time, "%Y%m%dT%H%M%S") != id.substr(0, stamp - 3)) return std::nullopt;
  return e;
}

std::string clip_path(const Event &e) {
  return "clips/" + e.camera + "/" + utc_day(e.start_time) + "/" + e.id + ".mp4";
}
std::string thumb_path(const Event &e) {
  return "thumbs/" + e.camera + "/" + utc_day(e.start_time) + "/" + e.id + ".jpg";
}

std::string record_path(const Event &e) {
  return "events/" + e.camera + "/" + utc_day(e.start_time) + "/" + e.id + ".json";
}

std::string utc_day(double time) {
  return format(time, "%Y-%m-%d");
}

std::string utc_timestamp(double time) {
  char tail[16];
  std::snprintf(tail, sizeof tail, ".%03dZ", milliseconds(time));
  return format(time, "%Y-%m-%dT%H:%M:%S") + tail;
}

} // namespace vigil::monitor
