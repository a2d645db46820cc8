// SPDX-License-Identifier: LGPL-2.1-or-later
// Which segments of the continuous recording have to go, and their deletion. Oldest first:
//   1. those older than their camera's days, unless the clock is in doubt (clock_trust.h): its days of
//      `continuous`, and of `motion` where they are more and the segment overlaps an event;
//   2. as long as clips and recordings together exceed max_size, or the disk has less than min_free: first
//      all those that overlap no event, then the others.
//
// A segment that an event's clip is a part of stays as long as the event does (store/retention.h).
//
// Segments go before any event does for want of room. One that cannot be removed stays, is tried again by
// each pass, and lets other segments go in its place, but no event. Used by one thread at a time.
#pragma once

#include "../config/config.h"
#include "../store/retention.h"
#include "index.h"
#include "places.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vigil::monitor {

class RecordingRetention {
 public:
  using Log = std::function<void(const std::string &)>;
  static constexpr int most_at_once = 2000; // segments of one pass; more go with the next one

  enum class Where { hot, cold }; // which of the two folders
  // `storage`: the storage folder, where previews are.
  RecordingRetention(RecordingIndex &, RecordingPlaces, std::string storage, Log, Where = Where::hot);

  // A camera that is no longer recorded, or has left the configuration, keeps the days that it had last. So
  // does `motion: {days}` when its line is missing.
  void set_days(const std::map<std::string, CameraConfig> &);
  // 0: no limit, as for cameras that nobody ever configured.
  double days_of(const std::string &camera, Segment::Tier) const;
  bool records(const std::string &camera) const { return days_.count(camera) > 0; } // or did

  struct Result {
    DiskState left; // the disk as the retention of events finds it then
    std::vector<Departure> gone;
  };
  Result retain(const DiskState &);
  std::optional<std::string> next_departure(const DiskState &) const;

 private:
  struct Candidates {
    std::vector<Kept> kept; // by start
    bool more = false;      // than one pass takes
  };
  Candidates candidates(const DiskState &) const;
  void forget(const std::vector<Departure> &gone, const std::set<std::string> &folders, double now);

  std::string file_of(const std::string &id) const;
  void remove(const std::string &id) const;

  RecordingIndex &index_;
  const RecordingPlaces places_;
  const std::string storage_;
  const Log log_;
  const bool cold_;
  std::map<std::string, RecordingDays> days_; // of each camera, as last configured
  std::map<std::string, std::int64_t> stuck_; // segments that could not be removed, and their bytes
};

} // namespace vigil::monitor
