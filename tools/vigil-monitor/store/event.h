// SPDX-License-Identifier: LGPL-2.1-or-later
// Something that happened in front of a camera. Times are seconds since 1970 UTC.
#pragma once

#include "../config/geometry.h"
#include "../labels/event_label.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct Event {
  std::string id, camera, label;
  double start_time = 0;
  std::optional<double> end_time;
  std::vector<std::string> zones;
  std::optional<Rect> box;
  double score = 0;
  bool has_clip = false, has_snapshot = false, retained = false, has_vector = false;
  // Its clip, or what is to become it, is a part of the camera's recording, from clip_start to clip_end, and
  // no file of its own.
  bool of_recording = false;
  std::optional<double> clip_start, clip_end;
  std::int64_t clip_bytes = 0;
  std::string continues; // the event that ended where this one began, of the same cause; empty: none
  EventLabels labels;    // the database has them elsewhere: LabelStore
};

nlohmann::json to_json(const Event &); // as the API shows it

// The name of a new event: time, camera and a random part, fit for a path.
std::string new_event_id(double start_time, const std::string &camera);
bool is_event_id(std::string_view);
// An event with the id, camera and start that new_event_id() has put into a name; empty for other names.
std::optional<Event> event_of_id(const std::string &id);

// Where its files are, below the storage folder.
std::string clip_path(const Event &);
std::string thumb_path(const Event &);
std::string record_path(const Event &); // event_records.h

std::string utc_day(double time);       // 2026-11-22
std::string utc_timestamp(double time); // 2026-11-22T07:14:12.345Z

} // namespace vigil::monitor
