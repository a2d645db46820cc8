// SPDX-License-Identifier: LGPL-2.1-or-later
// Which events, or which segments of the recording, have to go. The plan is a pure function of what there
// is, so that it can be tested by hand-made numbers.
//
// Oldest first, never one that is retained or still goes on:
//   1. those whose age exceeds the days of their camera, unless the clock is in doubt (clock_trust.h);
//   2. as long as clips and recordings together, with what comes until the next pass, exceed max_size;
//   3. as long as the disk has less than min_free, counting what goes as free.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

struct Kept {
  std::string id, camera;
  double start = 0;
  std::int64_t bytes = 0; // of clip and thumbnail; a clip that is a part of the recording counts like a file
  bool protect = false;   // retained, or it goes on
  double days = 0;        // its camera's; 0: no limit
};
struct DiskState {
  double now = 0;
  std::int64_t max_size = 0; // 0: no limit
  std::int64_t free = 0, min_free = 0;
  std::int64_t clip_bytes = 0; // of all clips and recordings together, each byte once
  bool clock_trusted = true;
  std::int64_t growth = 0; // of clip_bytes until the next pass
  // By how much max_size is exceeded then; not above 0: it is not.
  std::int64_t excess() const { return max_size > 0 ? clip_bytes + growth - max_size : INT64_MIN; }
};
struct Departure {
  std::string id, camera;
  std::int64_t bytes = 0;
  const char *reason = ""; // "age", "max_size" or "min_free"
  std::string why;         // "older than 14 days"
  bool by_age() const { return reason == std::string_view("age"); }
};
// What a pass has deleted.
struct Departed {
  std::vector<Departure> events, segments;
  bool empty() const { return events.empty() && segments.empty(); }
};

// The longer of two numbers of days, of which 0 is no limit.
double longer_days(double a, double b);

// `oldest_first` by start: all of them, or those that may have to go.
std::vector<Departure> plan_retention(const std::vector<Kept> &oldest_first, const DiskState &);

// Carries the plan out. `remove` returns false, or throws, when this one stays: that frees nothing, so
// others of the list go for it. `gone`: those that went.
struct Carried {
  std::vector<Departure> gone;
  std::vector<std::string> stuck; // ids of those for which `remove` threw
  std::string why;                // of the first of them
};
Carried carry_out(std::vector<Kept> oldest_first, DiskState,
                  const std::function<bool(const Departure &)> &remove);

// The line of the audit log for what a pass has deleted: sums by camera and reason.
nlohmann::json audit_line(const Departed &, double now);

// What the next pass will do that this one does not yet, for people: "door's events of 2026-11-08 will be
// deleted on 2026-11-22 (14 days)". `what`: events or recording.
std::optional<std::string> next_departure(const std::vector<Kept> &oldest_first, const DiskState &,
                                          const char *what = "events");

} // namespace vigil::monitor
