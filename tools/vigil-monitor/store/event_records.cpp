// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_records.h"

#include "common/error.h"
#include "common/file.h"
#include "own_files.h"
#include "salvage.h"

#include <cmath>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

template <class T>
std::optional<T> optional_of(const nlohmann::json &j) {
  return j.is_null() ? std::nullopt : std::optional(j.get<T>());
}

// Throws nlohmann::json::exception.
void read_values(Event &e, const nlohmann::json &j) {
  e.label = j.at("label").get<std::string>();
  e.start_time = j.at("start_time").get<double>();
  e.end_time = j.at("end_time").get<double>();
  e.zones = j.at("zones").get<std::vector<std::string>>();
  if (const auto &box = j.at("box"); !box.is_null())
    e.box = Rect{box.at("x").get<double>(), box.at("y").get<double>(), box.at("width").get<double>(),
                 box.at("height").get<double>()};
  e.score = j.at("score").get<double>();
  e.has_clip = j.at("has_clip").get<bool>();
  e.has_snapshot = j.at("has_snapshot").get<bool>();
  e.retained = j.at("retained").get<bool>();
  e.of_recording = true;
  e.clip_start = optional_of<double>(j.at("clip_start"));
  e.clip_end = optional_of<double>(j.at("clip_end"));
  e.clip_bytes = j.at("clip_bytes").get<std::int64_t>();
  e.continues = optional_of<std::string>(j.at("continues")).value_or("");
}

// A clip of years would keep a whole recording.
bool is_plausible(const Event &e, double named_start) {
  constexpr double a_day = 86400, rounding = 0.01;
  const bool clip = e.clip_start && e.clip_end && *e.clip_start <= *e.clip_end &&
                    *e.clip_end - *e.clip_start < a_day && std::abs(*e.clip_start - e.start_time) < a_day;
  return !e.label.empty() && std::abs(e.start_time - named_start) < rounding && *e.end_time >= e.start_time &&
         (clip || !e.has_clip);
}

} // namespace

std::string event_record(const Event &e) {
  nlohmann::json j = to_json(e);
  for (const char *elsewhere : {"has_vector", "labels"}) j.erase(elsewhere); // they are no columns of its row
  j["clip_start"] = e.clip_start ? nlohmann::json(*e.clip_start) : nlohmann::json();
  j["clip_end"] = e.clip_end ? nlohmann::json(*e.clip_end) : nlohmann::json();
  return j.dump() + "\n";
}

std::optional<Event> event_of_record(const std::string &record, const std::string &id) {
  auto e = event_of_id(id);
  const auto j = nlohmann::json::parse(record, nullptr, false);
  if (!e || !j.is_object()) return std::nullopt;
  try {
    if (j.at("id") != id || j.at("camera") != e->camera) return std::nullopt;
    const double named_start = e->start_time;
    read_values(*e, j);
    return is_plausible(*e, named_start) ? e : std::nullopt;
  } catch (const nlohmann::json::exception &) {
    return std::nullopt;
  }
}

std::optional<Event> read_event_record(const std::string &path, const std::string &id) {
  constexpr std::size_t most = 1 << 20;
  try {
    return event_of_record(read_text_file(path, "the record of an event", most), id);
  } catch (const Error &) {
    return std::nullopt;
  }
}

void EventRecords::put(const Event &e) const {
  const std::string path = file(e);
  if (const std::string moved = move_barred_aside(path); !moved.empty()) log_(moved);
  if (!e.of_recording || !e.end_time) return remove_file(path);
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (fs::create_directories(folder, error)) { // the new names outlast a power cut, too
    sync_folder(folder.parent_path().string());
    sync_folder(folder.parent_path().parent_path().string());
  }
  if (error) fail(Error::Kind::write, "cannot make the folder ", folder.string(), ": ", error.message());
  const std::string text = event_record(e);
  replace_file(path, {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
}

bool EventRecords::fits(const Event &e) const {
  const std::string path = file(e);
  std::error_code error;
  return fs::file_size(path, error) == event_record(e).size() && !error && access(path.c_str(), R_OK) == 0;
}

} // namespace vigil::monitor
