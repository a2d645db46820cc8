// SPDX-License-Identifier: LGPL-2.1-or-later
#include "retention.h"

#include "../counted.h"
#include "../store/event.h"
#include "../store/own_files.h"
#include "common/file.h"
#include "preview_file.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

constexpr double day = 86400;
constexpr Segment::Tier tiers[] = {Segment::Tier::plain, Segment::Tier::motion, Segment::Tier::unknown};

} // namespace

RecordingRetention::RecordingRetention(RecordingIndex &index, RecordingPlaces places, std::string storage,
                                       Log log, Where where)
    : index_(index), places_(std::move(places)), storage_(std::move(storage)), log_(std::move(log)),
      cold_(where == Where::cold), days_(index_.days()) {}

void RecordingRetention::set_days(const std::map<std::string, CameraConfig> &cameras) {
  std::map<std::string, RecordingDays> changed;
  for (const auto &[name, camera] : cameras) {
    if (!camera.record.continuous) continue;
    const auto last = days_.find(name);
    RecordingDays next{camera.record.continuous_days, camera.record.motion_days};
    if (!next.motion && last != days_.end()) next.motion = last->second.motion;
    if (last == days_.end() || last->second != next) changed[name] = next;
  }
  if (changed.empty()) return;
  index_.set_days(changed);
  for (const auto &[name, days] : changed) days_[name] = days;
}

double RecordingRetention::days_of(const std::string &camera, Segment::Tier tier) const {
  const auto known = days_.find(camera);
  if (known == days_.end()) return 0;
  const RecordingDays &d = known->second;
  // What is not known to be still may be of an event.
  if (tier == Segment::Tier::plain || !d.motion) return d.continuous;
  return longer_days(d.continuous, *d.motion);
}

// The segments that may have to go: enough for plan_retention(), without reading the whole table.
RecordingRetention::Candidates RecordingRetention::candidates(const DiskState &disk) const {
  Candidates out;
  std::set<std::string> known, moved; // for want of room what had motion goes last
  const auto add = [&](const std::vector<Segment> &segments) {
    for (const Segment &s : segments)
      if (known.insert(s.id).second) {
        out.kept.push_back({s.id, s.camera, seconds(s.start), s.bytes, false, days_of(s.camera, s.tier)});
        if (s.tier != Segment::Tier::plain) moved.insert(s.id);
      }
  };
  const int most = most_at_once + static_cast<int>(stuck_.size());
  if (disk.clock_trusted)
    for (const auto &[camera, totals] : index_.totals())
      for (const Segment::Tier tier : tiers)
        if (const double days = days_of(camera, tier); days > 0)
          add(index_.older(camera, tier, micros(disk.now - days * day), most, cold_));
  std::int64_t excess = std::max(disk.min_free - disk.free, disk.excess());
  if (excess > 0) {
    for (const auto &[id, bytes] : stuck_) excess += bytes; // they may stay again
    const auto oldest = index_.oldest(excess, most, cold_);
    std::int64_t bytes = 0;
    for (const Segment &s : oldest) bytes += s.bytes;
    out.more = bytes < excess && oldest.size() == static_cast<std::size_t>(most);
    add(oldest);
  }
  std::sort(out.kept.begin(), out.kept.end(), [&](const Kept &a, const Kept &b) {
    return std::tuple(moved.count(a.id), a.start, a.id) < std::tuple(moved.count(b.id), b.start, b.id);
  });
  return out;
}

std::string RecordingRetention::file_of(const std::string &id) const {
  Segment s;
  s.id = id;
  s.cold = cold_;
  return places_.file(s);
}

void RecordingRetention::remove(const std::string &id) const {
  const std::string path = file_of(id);
  if (cold_ && is_gone(path) && !places_.cold()->use(true))
    fail(Error::Kind::write, "cannot delete ", path, ": the folder is away");
  remove_file(storage_ + "/" + preview_path(id)); // first: none is left without its segment
  remove_file(path);
}

RecordingRetention::Result RecordingRetention::retain(const DiskState &disk) {
  if (cold_) days_ = index_.days(); // the other one sets them
  // By then the events of a segment are in the database.
  constexpr double settled = 120;
  while (index_.classify(micros(disk.now - settled))) {
  }
  const Candidates all = candidates(disk);
  std::map<std::string, std::int64_t> bytes;
  for (const Kept &k : all.kept) bytes[k.id] = k.bytes;
  std::set<std::string> folders;
  Carried done = carry_out(all.kept, disk, [&](const Departure &d) {
    remove(d.id);
    for (const std::string &path : {storage_ + "/" + preview_path(d.id), file_of(d.id)})
      folders.insert(fs::path(path).parent_path().string());
    return true;
  });
  if (!done.gone.empty()) forget(done.gone, folders, disk.now);
  const auto before = std::exchange(stuck_, {});
  int more = 0;
  for (const std::string &id : done.stuck) {
    stuck_[id] = bytes[id];
    more += before.count(id) == 0;
  }
  if (more > 0)
    log_(text("retention: ", counted(more, "segment"),
              " of recordings cannot be deleted, which is tried again each minute; the first: ", done.why));
  Result out{disk, std::move(done.gone)};
  for (const Departure &d : out.gone) {
    out.left.clip_bytes -= d.bytes;
    out.left.free += d.bytes;
  }
  for (const auto &[id, size] : stuck_) { // no event goes in their place
    out.left.clip_bytes -= size;
    out.left.free += size;
  }
  if (all.more) out.left.max_size = out.left.min_free = 0; // events need not make room: more segments can
  return out;
}

// Of segments whose files are gone the rows go, and folders that are empty.
void RecordingRetention::forget(const std::vector<Departure> &gone, const std::set<std::string> &folders,
                                double now) {
  struct Deleted { // a line of the log
    int segments = 0;
    double from = 0, to = 0;
    std::string why;
  };
  std::map<std::pair<std::string, std::string>, Deleted> lines; // by camera and reason
  std::vector<std::string> ids;
  for (const Departure &d : gone) {
    ids.push_back(d.id);
    const auto named = event_of_id(d.id);
    if (!named) continue;
    Deleted &line = lines[{d.camera, d.by_age() ? d.why : ""}];
    if (line.segments++ == 0) line = {1, named->start_time, named->start_time, d.why};
    line.from = std::min(line.from, named->start_time);
    line.to = std::max(line.to, named->start_time);
  }
  for (const std::string &folder : folders) {
    sync_folder(folder);
    std::error_code error;
    // Only when it is empty, and not the one that is being written into.
    if (fs::path(folder).filename().string() < utc_day(now)) fs::remove(folder, error);
  }
  index_.remove(ids, cold_);
  std::set<std::string> cameras;
  for (const auto &[key, line] : lines) {
    log_(text("retention: deleted ", counted(line.segments, "segment"), " of ", key.first,
              "'s recording, which began from ", utc_timestamp(line.from), " to ", utc_timestamp(line.to),
              ": ", line.why));
    cameras.insert(key.first);
  }
  for (const std::string &camera : cameras)
    index_.forget_gaps(camera, index_.oldest_start(camera).value_or(micros(now)));
}

std::optional<std::string> RecordingRetention::next_departure(const DiskState &disk) const {
  std::vector<Kept> first;
  const auto add = [&](const std::vector<Segment> &segments) {
    for (const Segment &s : segments)
      first.push_back({s.id, s.camera, seconds(s.start), s.bytes, false, days_of(s.camera, s.tier)});
  };
  add(index_.oldest(1, 1, cold_));
  for (const auto &[camera, totals] : index_.totals())
    for (const Segment::Tier tier : tiers)
      for (const bool cold : {false, true})
        if (days_of(camera, tier) > 0) add(index_.older(camera, tier, INT64_MAX, 1, cold));
  return monitor::next_departure(first, disk, "recording");
}

} // namespace vigil::monitor
