// SPDX-License-Identifier: LGPL-2.1-or-later
#include "storage.h"

#include "common/error.h"
#include "mp4.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sys/file.h>
#include <unistd.h>
#include <unordered_map>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

std::string prepared(const std::string &path) {
  for (const char *folder : {"clips", "thumbs", "models", "masks"}) {
    std::error_code error;
    fs::create_directories(fs::path(path) / folder, error);
    if (error)
      fail(Error::Kind::write, "cannot make the folder ", path, "/", folder, ": ", error.message(),
           "; choose another storage path");
  }
  return path;
}

std::int64_t size_of(const std::string &file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

} // namespace

FolderLock::FolderLock(const std::string &folder)
    : file_(open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (file_ < 0 || flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(file_);
  fail(Error::Kind::io, "another vigil-monitor works with the storage folder ", folder,
       "; stop it, or choose another folder (--storage)");
}

FolderLock::~FolderLock() {
  if (file_ >= 0) close(file_);
}

Storage::Storage(const std::string &path, Log log)
    : path_(prepared(path)), lock_(path_), log_(std::move(log)), events_(file("events.db")) {}

std::vector<Event> Storage::reconcile() {
  std::vector<Event> ended = events_.unfinished();
  if (!ended.empty())
    log_(text(ended.size(),
              " events had no end, because the program was stopped: they end when they were last seen"));
  int removed = 0, closed = 0, missing = 0, found = 0;
  // All rows are read at once, and what is found of their files is noted: to ask for each file and each row
  // by itself takes a minute where there are 200,000.
  struct Row {
    Event event;
    bool clip = false, snapshot = false, changed = false;
  };
  std::unordered_map<std::string, Row> rows;
  for (Event &e : events_.oldest_first()) {
    std::string id = e.id;
    rows[std::move(id)].event = std::move(e);
  }
  for (const char *folder : {"clips", "thumbs"}) {
    const bool clips = !std::strcmp(folder, "clips");
    std::error_code error;
    for (const auto &entry : fs::recursive_directory_iterator(
             file(folder), fs::directory_options::skip_permission_denied, error)) {
      if (!entry.is_regular_file(error)) continue;
      fs::path p = entry.path();
      const bool part = p.extension() == ".part"; // ID.mp4.part
      const std::string id = (part ? p.stem().stem() : p.stem()).string();
      const auto at = rows.find(id);
      Row *const row = at == rows.end() ? nullptr : &at->second;
      if (clips && part && row && close_half_written(p.string())) {
        fs::rename(p, file(clip_path(row->event)), error);
        if (!error) {
          p = file(clip_path(row->event));
          closed++;
        }
      }
      if (!row || p.extension() == ".part" || p.extension() == ".tmp") {
        fs::remove(p, error);
        removed++;
        continue;
      }
      Event &e = row->event;
      if (p != file(clips ? clip_path(e) : thumb_path(e))) continue;
      (clips ? row->clip : row->snapshot) = true;
      if (!clips || e.has_clip) continue;
      e.has_clip = row->changed = true; // finished, but the row did not learn of it
      e.clip_bytes = size_of(p.string());
      if (!e.clip_start) e.clip_start = e.start_time;
      found++;
    }
  }
  for (auto &[id, row] : rows) {
    Event &e = row.event;
    if (!row.changed && e.has_clip == row.clip && e.has_snapshot == row.snapshot) continue;
    missing += e.has_clip && !row.clip;
    e.has_clip = row.clip;
    e.has_snapshot = row.snapshot;
    if (!row.clip) e.clip_bytes = 0;
    events_.put(e);
  }
  if (closed) log_(text(closed, " half-written clips were closed after their last whole second"));
  if (removed) log_(text(removed, " files belonged to no event and were removed"));
  if (found) log_(text(found, " finished clips were given back to their events"));
  if (missing) log_(text(missing, " events have lost their clip: the file is gone"));
  for (Event &e : ended) { // with what was found of its files
    const auto end = e.end_time;
    e = events_.get(e.id).value_or(e);
    e.end_time = end;
  }
  return ended;
}

bool Storage::remove(const Event &e) {
  const bool was = events_.remove(e.id); // the row first: a file without a row goes at the next start
  std::error_code error;
  fs::remove(file(clip_path(e)), error);
  fs::remove(file(thumb_path(e)), error);
  fs::remove(fs::path(file(clip_path(e))).parent_path(), error); // only when it is empty
  fs::remove(fs::path(file(thumb_path(e))).parent_path(), error);
  return was;
}

std::vector<std::string> Storage::retain(const std::vector<Kept> &kept, const DiskState &disk) {
  constexpr double day = 24 * 3600;
  if (!counts_went_ || std::abs(disk.now - *counts_went_) >= day) { // a clock may go back, too
    events_.forget_counts(disk.now - days_of_counts * day);
    counts_went_ = disk.now;
  }
  std::vector<std::string> gone;
  for (const Departure &d : plan_retention(kept, disk)) {
    const auto event = events_.get(d.id);
    if (!event || event->retained) continue; // kept by a person meanwhile
    remove(*event);
    gone.push_back(d.id);
    log_("retention: deleted event " + d.id + ": " + d.why);
  }
  return gone;
}

std::vector<Kept> Storage::kept(const std::map<std::string, CameraConfig> &cameras) const {
  constexpr double days_of_unknown_cameras = 14;
  std::vector<Kept> out;
  for (const Event &e : events_.oldest_first()) {
    const auto camera = cameras.find(e.camera);
    out.push_back({e.id, e.camera, e.start_time, e.clip_bytes, e.retained || !e.end_time,
                   camera == cameras.end() ? days_of_unknown_cameras : camera->second.record.retain_days});
  }
  return out;
}

DiskState Storage::disk(const StorageConfig &c, double now) const {
  std::error_code error;
  const auto space = fs::space(path_, error);
  return {now, static_cast<std::int64_t>(c.max_size),
          error ? INT64_MAX / 2 : static_cast<std::int64_t>(space.available),
          static_cast<std::int64_t>(c.min_free)};
}

void Storage::write_file(const std::string &below, const std::string &bytes) const {
  const std::string path = file(below), half = path + ".tmp";
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  {
    std::ofstream out(half, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
    if (!out) {
      const int why = errno;
      fs::remove(half, error);
      fail(Error::Kind::write, "cannot write ", path, ": ", std::strerror(why));
    }
  }
  if (std::rename(half.c_str(), path.c_str()))
    fail(Error::Kind::write, "cannot write ", path, ": ", std::strerror(errno));
}

void Storage::append_line(const std::string &below, const std::string &line) const {
  const std::string path = file(below);
  std::error_code error;
  const auto before = fs::exists(path, error) ? fs::file_size(path, error) : 0;
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out << line << '\n' << std::flush;
  if (out) return;
  const int why = errno;
  out.close();
  fs::resize_file(path, before, error); // no half of a line stays before the next one
  fail(Error::Kind::write, "cannot write ", path, ": ", std::strerror(why));
}

} // namespace vigil::monitor
