// SPDX-License-Identifier: LGPL-2.1-or-later
#include "disk.h"

#include "../camera/utc.h"
#include "../store/own_files.h"
#include "common/error.h"
#include "preview_file.h"
#include "recorded.h"
#include "recorded_clip.h"
#include "segment_file.h"

#include <future>
#include <memory>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr std::size_t most_tasks = 8192, most_unstored = 100'000;
constexpr double retry = 1, sync_often = 5; // seconds

} // namespace

RecordingDisk::RecordingDisk(RecordingIndex &index, RecordingPlaces places, std::string folder, Log log)
    : index_(index), places_(std::move(places)), folder_(std::move(folder)), log_(std::move(log)),
      worker_(most_tasks, log_) {}

bool RecordingDisk::wait(std::chrono::milliseconds patience) {
  const auto done = std::make_shared<std::promise<void>>();
  auto all = done->get_future();
  if (!worker_.add_needed([this, done] {
        next_try_ = 0;
        drain();
        done->set_value();
      }))
    return false;
  return all.wait_for(patience) == std::future_status::ready;
}

void RecordingDisk::tick() {
  worker_.add([this] { drain(); });
}

void RecordingDisk::store(std::function<void()> change) {
  unstored_.push_back(std::move(change));
  if (unstored_.size() > most_unstored) unstored_.pop_front(); // the next start finds the file
  drain();
}

void RecordingDisk::drain() {
  const double now = Utc::monotonic_seconds();
  if (unstored_.empty() || now < next_try_) return;
  try {
    while (!unstored_.empty()) {
      unstored_.front()();
      unstored_.pop_front();
    }
    if (rows_.worked(now)) log_("the database takes the recordings' index again");
  } catch (const Error &e) {
    next_try_ = now + retry;
    if (rows_.failed(now))
      log_(text(e.what(), "; the recordings' index is kept in memory until it works again"));
  }
}

ClipResult RecordingDisk::clip(const std::string &camera, std::int64_t from, std::int64_t to) const {
  try {
    return recorded_clip(recorded_segments(index_, open_, camera, from, to, true), from, to,
                         [this](const Segment &s) { return places_.file(s); });
  } catch (const Error &e) {
    ClipResult out;
    out.why = e.what();
    return out;
  }
}

void RecordingDisk::preview(const std::string &segment, std::int64_t at, const std::string &jpeg) {
  if (is_gone(file(segment))) return;
  try {
    append_preview(folder_ + "/" + preview_path(segment), at, jpeg);
    previews_.worked(Utc::monotonic_seconds());
  } catch (const Error &e) {
    if (previews_.failed(Utc::monotonic_seconds()))
      log_(text(e.what(), "; recordings have no previews until it works again"));
  }
}

void RecordingDisk::begins(const Segment &s) {
  open_.put(s);
  store([this, s] { index_.put(s); });
}

void RecordingDisk::grew(const Segment &s) {
  open_.grew(s.id, s.fragments.back(), s.duration, s.bytes);
}

void RecordingDisk::ended(const Segment &s) {
  if (s.fragments.empty()) {
    open_.remove(s.id);
    return store([this, id = s.id] { index_.remove({id}); });
  }
  store([this, s] {
    index_.put(s);
    open_.remove(s.id);
  });
}

void RecordingDisk::resume(const std::string &camera) {
  if (gaps_.count(camera)) return;
  try {
    if (const auto gap = index_.open_gap(camera)) {
      gaps_[camera] = *gap;
    } else if (const auto end = index_.last_end(camera)) {
      gap_begins(camera, *end, gap_reason::stopped);
    }
  } catch (const Error &e) {
    log_(e.what());
  }
}

void RecordingDisk::gap_begins(const std::string &camera, std::int64_t time, const std::string &reason) {
  const auto before = gaps_.find(camera);
  if (before != gaps_.end() && before->second.reason == reason) return;
  if (before != gaps_.end()) gap_ends(camera, time);
  const Gap gap{camera, reason, time, {}};
  gaps_[camera] = gap;
  store([this, gap] { index_.begin_gap(gap); });
}

void RecordingDisk::gap_ends(const std::string &camera, std::int64_t time) {
  if (gaps_.erase(camera) > 0) store([this, camera, time] { index_.end_gap(camera, time); });
}

// Each file at most once in five seconds, and all of them a third of the time at most.
bool RecordingDisk::sync_is_due(std::int64_t &last) const {
  const std::int64_t now = micros(Utc::monotonic_seconds());
  if (last == 0) last = now;
  return now - last >= micros(sync_often) && seconds(now) >= next_sync_;
}

void RecordingDisk::sync(SegmentFile &file) {
  const double begin = Utc::monotonic_seconds();
  file.sync();
  const double end = Utc::monotonic_seconds();
  next_sync_ = end + 2 * (end - begin);
}

void RecordingDisk::failed(const std::string &what) {
  if (files_.failed(Utc::monotonic_seconds())) log_(what + "; cameras are not recorded until it works again");
}

void RecordingDisk::worked() {
  if (files_.worked(Utc::monotonic_seconds())) log_("recordings are written again");
}

} // namespace vigil::monitor
