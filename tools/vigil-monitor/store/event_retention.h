// SPDX-License-Identifier: LGPL-2.1-or-later
// How long events are kept, and what a pass of retention deletes. On the writer thread, except disk(), which
// is for any thread.
#pragma once

#include "../config/config.h"
#include "../recording/retention.h"
#include "event.h"
#include "retention.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vigil::monitor {

class Storage;

class EventRetention {
 public:
  EventRetention(Storage &, std::function<void(const std::string &)> log);

  // For how many days events are kept (0: no limit). A camera's own days, where the configuration says
  // them; else the longer of its last ones and `otherwise`. A camera that has left the configuration keeps
  // its last ones. Only an explicit `retain: {days: N}` shortens.
  void set_days(const std::map<std::string, CameraConfig> &, double otherwise);
  double days_of(const std::string &camera) const;

  // Deletes what has to go, and returns it: segments of recordings (recording/retention.h), then events. An
  // event whose files cannot be removed stays, is logged once and tried again by each pass; others go in
  // its place. Once a day heat and crossings older than days_of_counts go, too, and what the history of
  // motion has longer than its camera's events are kept.
  static constexpr double days_of_counts = 400;
  Departed retain(const DiskState &);
  std::optional<std::string> next_departure(const DiskState &) const;
  DiskState disk(const StorageConfig &, double now, bool clock_trusted) const;

 private:
  std::vector<Kept> candidates(const DiskState &) const;
  std::int64_t room_of(const Event &) const;

  Storage &storage_;
  const std::function<void(const std::string &)> log_;
  RecordingRetention recordings_;
  std::map<std::string, double> days_; // of each camera, as last configured
  double otherwise_ = RecordConfig{}.retain_days;
  std::optional<double> counts_went_; // when they were looked at last
  std::set<std::string> stuck_;       // events that retention could not remove
};

} // namespace vigil::monitor
