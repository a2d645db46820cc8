// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_retention.h"

#include "../counted.h"
#include "storage.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

namespace vigil::monitor {

EventRetention::EventRetention(Storage &storage, std::function<void(const std::string &)> log)
    : storage_(storage), log_(std::move(log)),
      recordings_(storage.recordings(), storage.places(), storage.path(), log_),
      days_(storage.events().retain_days()) {}

void EventRetention::set_days(const std::map<std::string, CameraConfig> &cameras, double otherwise) {
  recordings_.set_days(cameras);
  otherwise_ = otherwise;
  std::map<std::string, double> changed;
  for (const auto &[name, camera] : cameras) {
    const auto last = days_.find(name);
    const double days = camera.record.retain_given || last == days_.end()
                            ? camera.record.retain_days
                            : longer_days(last->second, camera.record.retain_days);
    if (last != days_.end() && last->second == days) continue;
    days_[name] = changed[name] = days;
  }
  if (!changed.empty()) storage_.events().set_retain_days(changed);
}

double EventRetention::days_of(const std::string &camera) const {
  const auto known = days_.find(camera);
  return known == days_.end() ? otherwise_ : known->second;
}

// What its going frees in the storage folder.
std::int64_t EventRetention::room_of(const Event &e) const {
  if (!e.of_recording || !e.clip_start || !e.clip_end) return e.clip_bytes;
  const auto segments =
      storage_.recordings().segments(e.camera, micros(*e.clip_start), micros(*e.clip_end), false);
  const bool here = std::any_of(segments.begin(), segments.end(), [](const Segment &s) { return !s.cold; });
  return here ? e.clip_bytes : 0;
}

// The events that may have to go, oldest first, and of each camera the first that will: enough for
// plan_retention() and next_departure(), without reading the whole table.
std::vector<Kept> EventRetention::candidates(const DiskState &disk) const {
  const int at_once = 1000 + static_cast<int>(stuck_.size()); // more go with the next pass
  constexpr double day = 86400;
  std::map<std::pair<double, std::string>, Kept> all;
  const auto add = [&](const Event &e) {
    all[{e.start_time, e.id}] = {e.id, e.camera, e.start_time, room_of(e), false, days_of(e.camera)};
  };
  for (const std::string &camera : storage_.events().cameras()) {
    const double days = days_of(camera);
    const auto first = storage_.events().oldest(camera, false, 1);
    if (days <= 0 || first.empty()) continue;
    add(first.front());
    if (!disk.clock_trusted || disk.now - first.front().start_time <= days * day) continue;
    for (const Event &e : storage_.events().oldest(camera, false, at_once)) {
      add(e);
      if (disk.now - e.start_time <= days * day) break;
    }
  }
  const bool full = disk.excess() > 0 || disk.free < disk.min_free;
  for (const Event &e : storage_.events().oldest("", true, full ? at_once : 1)) add(e);
  std::vector<Kept> out;
  for (auto &[at, k] : all) out.push_back(std::move(k));
  return out;
}

Departed EventRetention::retain(const DiskState &disk) {
  storage_.settle_clips();
  constexpr double day = 24 * 3600;
  if (disk.clock_trusted && (!counts_went_ || std::abs(disk.now - *counts_went_) >= day)) {
    storage_.events().forget_counts(disk.now - days_of_counts * day);
    storage_.motion().forget(disk.now, [this](const std::string &camera) {
      double days = days_of(camera);
      if (recordings_.records(camera)) // the timeline shows both
        days = longer_days(days, recordings_.days_of(camera, Segment::Tier::motion));
      return days > 0 ? days : days_of_counts;
    });
    counts_went_ = disk.now;
  }
  Departed out;
  std::set<std::string> stuck;
  std::string why;
  DiskState now = disk;
  // A recording that an event's clip is a part of can go once the event has.
  constexpr int most_rounds = 10;
  bool again = true;
  for (int round = 0; again && round < most_rounds; round++) {
    again = false;
    RecordingRetention::Result recordings = recordings_.retain(now);
    std::int64_t freed = 0;
    for (const Departure &d : recordings.gone) freed += d.bytes;
    Carried done = carry_out(candidates(recordings.left), recordings.left, [&](const Departure &d) {
      const auto event = storage_.events().get(d.id);
      if (!event || event->retained) return false; // kept by a person meanwhile
      storage_.remove(*event);
      log_("retention: deleted event " + d.id + ": " + d.why);
      if (event->of_recording)
        again = true;
      else
        freed += d.bytes;
      return true;
    });
    now.clip_bytes -= freed;
    now.free += freed;
    std::move(recordings.gone.begin(), recordings.gone.end(), std::back_inserter(out.segments));
    std::move(done.gone.begin(), done.gone.end(), std::back_inserter(out.events));
    stuck.insert(done.stuck.begin(), done.stuck.end());
    if (why.empty()) why = done.why;
  }
  const auto before = std::exchange(stuck_, std::move(stuck));
  int more = 0;
  for (const std::string &id : stuck_) more += before.count(id) == 0;
  if (more > 0)
    log_(text("retention: ", counted(more, "event"),
              " cannot be deleted, which is tried again each minute; the first: ", why));
  return out;
}

std::optional<std::string> EventRetention::next_departure(const DiskState &disk) const {
  auto recording = recordings_.next_departure(disk);
  DiskState for_events = disk;
  if (recording) for_events.max_size = 0; // segments go before events
  const auto events = monitor::next_departure(candidates(for_events), for_events);
  if (recording && events) return *recording + "; " + *events;
  return recording ? recording : events;
}

DiskState EventRetention::disk(const StorageConfig &c, double now, bool clock_trusted) const {
  std::error_code error;
  const auto space = std::filesystem::space(storage_.path(), error);
  return {now,
          static_cast<std::int64_t>(c.max_size),
          error ? INT64_MAX / 2 : static_cast<std::int64_t>(space.available),
          static_cast<std::int64_t>(c.min_free),
          storage_.reader().clip_bytes() + storage_.recordings().bytes() - storage_.recordings().cold_bytes(),
          clock_trusted};
}

} // namespace vigil::monitor
