// SPDX-License-Identifier: LGPL-2.1-or-later
// Which events, or which segments of the recording, have to go. A pure function of what there is, so that it
// can be tested by hand-made numbers.
//
// Oldest first, never one that is retained or still goes on:
//   1. those whose age exceeds the days of their camera, unless the clock is in doubt (clock_trust.h);
//   2. as long as clips and recordings together exceed max_size;
//   3. as long as the disk has less than min_free, counting what goes as free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct Kept {
  std::string id, camera;
  double start = 0;
  std::int64_t bytes = 0; // of clip and thumbnail
  bool protect = false;   // retained, or it goes on
  double days = 0;        // its camera's; 0: no limit
};
struct DiskState {
  double now = 0;
  std::int64_t max_size = 0; // 0: no limit
  std::int64_t free = 0, min_free = 0;
  std::int64_t clip_bytes = 0; // of all clips and recordings together
  bool clock_trusted = true;
};
struct Departure {
  std::string id, why; // "older than 14 days"
  bool by_age = false; // else for want of room
};

// The longer of two numbers of days, of which 0 is no limit.
double longer_days(double a, double b);

// `oldest_first` by start: all of them, or those that may have to go.
std::vector<Departure> plan_retention(const std::vector<Kept> &oldest_first, const DiskState &);

// What the next pass will do that this one does not yet, for people: "door's events of 2026-11-08 will be
// deleted on 2026-11-22 (14 days)". `what`: events or recording.
std::optional<std::string> next_departure(const std::vector<Kept> &oldest_first, const DiskState &,
                                          const char *what = "events");

} // namespace vigil::monitor
