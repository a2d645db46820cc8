// SPDX-License-Identifier: LGPL-2.1-or-later
// An export: a part of one or several cameras' recording as MP4 files, which somebody asked for. Times are
// seconds since 1970 UTC.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

struct ExportRequest {
  static constexpr double longest = 86400, longest_timelapse = 7 * 86400; // seconds
  static constexpr std::size_t most_cameras = 16;
  static constexpr int fastest = 3600;
  std::vector<std::string> cameras;
  double from = 0, to = 0;
  bool burn_in = false;                                 // the time is drawn into the pictures
  std::optional<int> timelapse;                         // so many times as fast
  std::string name;                                     // that somebody gave it
  bool encodes() const { return burn_in || timelapse; } // else the frames are copied
};

struct ExportFile {
  std::string name, camera, sha256;
  std::int64_t bytes = 0;
  double start = 0, end = 0; // of the recording that it shows
};

struct ExportJob {
  enum class State { queued, running, done, failed, cancelled };
  std::string id, who;
  ExportRequest request;
  State state = State::queued;
  std::string reason; // why it failed
  double created = 0, progress = 0;
  std::optional<double> ended;
  std::vector<ExportFile> files;
  bool has_ended() const { return state != State::queued && state != State::running; }
};

// Throws Error::bad_setting with the field, its value and what is allowed.
ExportRequest export_request(const nlohmann::json &body);

nlohmann::json to_json(const ExportJob &); // as the API shows it, and as its file has it
// Throws Error::bad_data.
ExportJob export_job(const nlohmann::json &);

// The name of a new export, fit for a path: its time and a random part.
std::string new_export_id(double now);
bool is_export_id(std::string_view);

} // namespace vigil::monitor
