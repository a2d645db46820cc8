// SPDX-License-Identifier: LGPL-2.1-or-later
#include "retention_pass.h"

#include "counted.h"
#include "log.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace vigil::monitor {

RetentionPass::RetentionPass(Storage &storage, EventWriter &events, Announcer &announcer, MediaThreads &media,
                             const Utc &utc, const StorageConfig &limits)
    : storage_(storage), events_(events), announcer_(announcer), media_(media), utc_(utc),
      clock_(storage.events().trusted_time()), min_free_(static_cast<std::int64_t>(limits.min_free)) {}

bool RetentionPass::clock_is_trusted() {
  constexpr double often = 600; // seconds between two writes of the clock
  const double monotonic = Utc::monotonic_seconds();
  const bool trusted = clock_.look(Utc::system_seconds(), monotonic);
  if (trusted && clock_.trusted() && (clock_stored_ == 0 || monotonic - clock_stored_ >= often)) {
    storage_.events().set_trusted_time(*clock_.trusted());
    clock_stored_ = monotonic;
  }
  return trusted;
}

DiskState RetentionPass::disk(const StorageConfig &limits, bool clock_trusted) const {
  DiskState out = storage_.retention().disk(limits, utc_.now(), clock_trusted);
  out.clip_bytes += media_.recordings()->open_segments().bytes();
  return out;
}

void RetentionPass::run(const std::map<std::string, CameraConfig> &cameras, double retain_days,
                        const StorageConfig &limits, Exports &exports) {
  const bool trusted = clock_is_trusted();
  storage_.retention().set_days(cameras, retain_days);
  DiskState disk = this->disk(limits, trusted);
  // The limit holds until the next pass, too, if as much comes as since the last one.
  constexpr std::int64_t part = 2; // of max_size; a faster growth says that it is much too small
  if (left_) disk.growth = std::clamp(disk.clip_bytes - *left_, std::int64_t{0}, disk.max_size / part);
  constexpr double day = 86400;
  min_free_ = static_cast<std::int64_t>(limits.min_free);
  if (trusted && limits.export_days > 0) exports.forget(utc_.now() - limits.export_days * day);
  if (ColdMover *cold = media_.cold()) {
    constexpr double nearly = 0.95, hardly = 1.1; // what is moved in time need not be deleted
    const double too_large =
        disk.max_size > 0 ? static_cast<double>(disk.clip_bytes) - nearly * static_cast<double>(disk.max_size)
                          : 0;
    const double too_full = hardly * static_cast<double>(disk.min_free) - static_cast<double>(disk.free);
    cold->ask(
        {utc_.now(), trusted, limits.cold, static_cast<std::int64_t>(std::max({too_large, too_full, 0.0}))});
  }
  const auto gone = storage_.retention().retain(disk);
  for (const Departure &d : gone.events) {
    events_.deleted(d.id);
    const auto event = event_of_id(d.id);
    announcer_.to_viewers(event ? event->camera : "", {{"kind", "deleted"}, {"id", d.id}});
  }
  if (!gone.empty() && on_deleted) on_deleted(gone, utc_.now());
  const DiskState after = this->disk(limits, trusted);
  left_ = after.clip_bytes;
  const auto next = storage_.retention().next_departure(after);
  const std::lock_guard guard(lock_);
  if (!gone.events.empty())
    last_ = vigil::text("deleted ", counted(gone.events.size(), "event"), " at ", utc_timestamp(utc_.now()));
  next_ = next;
}

void RetentionPass::deleted_cold(const std::vector<Departure> &gone) {
  if (on_deleted) on_deleted({{}, gone}, utc_.now());
}

std::int64_t RetentionPass::room_for_exports() const {
  std::error_code error;
  const auto space = std::filesystem::space(storage_.path(), error);
  return error ? INT64_MAX : static_cast<std::int64_t>(space.available) - min_free_ / 2;
}

// Without a look into the folder, which may not answer.
nlohmann::json RetentionPass::cold_stats(const ColdConfig &limits, std::int64_t bytes) const {
  const auto &folder = storage_.places().cold();
  if (!folder) return nullptr;
  const std::string problem = folder->problem();
  return {{"path", folder->path()},
          {"recordings_bytes", bytes},
          {"max_bytes", limits.max_size},
          {"min_free_bytes", limits.min_free},
          {"problem", problem.empty() ? nlohmann::json() : nlohmann::json(problem)}};
}

nlohmann::json RetentionPass::stats(const StorageConfig &limits) const {
  const EventReader &reader = storage_.reader();
  const DiskState disk = storage_.retention().disk(limits, utc_.now(), true);
  const auto oldest = reader.oldest();
  const auto clips = reader.clips();
  const std::int64_t recordings = storage_.recordings().bytes(), cold = storage_.recordings().cold_bytes();
  const std::lock_guard guard(lock_);
  return {{"path", limits.path},
          {"clips", clips},
          {"clips_bytes", disk.clip_bytes - (recordings - cold)},
          {"recordings_bytes", recordings},
          {"cold", cold_stats(limits.cold, cold)},
          {"max_bytes", limits.max_size},
          {"free_bytes", disk.free},
          {"min_free_bytes", limits.min_free},
          {"oldest", oldest ? nlohmann::json(*oldest) : nlohmann::json()},
          {"next", next_ ? nlohmann::json(*next_) : nlohmann::json()},
          {"last", last_.empty() ? nlohmann::json() : nlohmann::json(last_)},
          {"set_aside", storage_.reports().all()},
          {"writable", events_.writable()}};
}

} // namespace vigil::monitor
