// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_recovery.h"

#include "../counted.h"
#include "common/error.h"
#include "common/file.h"
#include "mp4.h"
#include "own_files.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <utility>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

std::int64_t size_of(const std::string &file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

// A file of the program's own making below clips/, thumbs/ or events/.
struct OwnFile {
  enum class State { whole, part, draft }; // a draft was being written by replace_file()
  Event event;                             // id, camera, start: as the name says
  State state = State::whole;
};

// The parts of "CAMERA/DAY/NAME", where NAME is ID, `extension` and perhaps .part or a draft's ending; null
// for every other file.
std::optional<OwnFile> own_file(const fs::path &below, const std::string &extension) {
  std::vector<std::string> parts;
  for (const fs::path &p : below) parts.push_back(p.string());
  if (parts.size() != 3) return std::nullopt;
  OwnFile out;
  const std::string &name = parts[2];
  const auto at = name.find(extension);
  if (at == name.npos) return std::nullopt;
  const std::string rest = name.substr(at + extension.size());
  const auto event = event_of_id(name.substr(0, at));
  if (!event || event->camera != parts[0] || utc_day(event->start_time) != parts[1]) return std::nullopt;
  out.event = *event;
  unsigned pid = 0, number = 0;
  int used = 0;
  if (rest == ".part")
    out.state = OwnFile::State::part;
  else if (rest == ".tmp" || (std::sscanf(rest.c_str(), ".%u-%u%n", &pid, &number, &used) == 2 &&
                              std::size_t(used) == rest.size()))
    out.state = OwnFile::State::draft;
  else if (!rest.empty())
    return std::nullopt;
  return out;
}

// The program's own files below a folder, listed before anything is done with them, which changes the folder.
std::vector<std::pair<OwnFile, std::string>> own_files(const std::string &root, const char *extension,
                                                       std::error_code &error) {
  std::vector<std::pair<OwnFile, std::string>> out;
  fs::recursive_directory_iterator i(root, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && i != end; i.increment(error)) {
    std::error_code none;
    if (!i->is_regular_file(none) || i->is_symlink(none)) continue;
    if (const auto own = own_file(i->path().lexically_relative(root), extension))
      out.emplace_back(*own, i->path().string());
  }
  return out;
}

// When a file was written last, as seconds since 1970; empty when that is not known.
std::optional<double> written(const std::string &path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return static_cast<double>(info.st_mtim.tv_sec) + 1e-9 * static_cast<double>(info.st_mtim.tv_nsec);
}

} // namespace

EventRecovery::EventRecovery(Storage &storage, const EventRecords &records, DoubtfulClips &doubtful,
                             Storage::Past past, double now)
    : storage_(storage), records_(records), doubtful_(doubtful), past_(past), now_(now) {}

std::vector<Event> EventRecovery::run() {
  ended_ = storage_.events().unfinished();
  if (!ended_.empty())
    storage_.log(text(counted(ended_.size(), "event"), " had no end, because the program was stopped: ",
                      word_for(ended_.size(), "it ends when it was", "they end when they were"),
                      " last seen"));
  // All rows are read at once, and what is found of their files is noted: to ask for each file and each row
  // by itself takes a minute where there are 200,000.
  for (Event &e : storage_.events().oldest_first()) {
    std::string id = e.id;
    rows_[std::move(id)].event = std::move(e);
  }
  read_records();
  read_files();
  store_rows();
  for (Event &e : ended_) { // with what was found of its files
    const auto end = e.end_time;
    e = storage_.events().get(e.id).value_or(e);
    e.end_time = end;
  }
  return std::move(ended_);
}

// A file alone says that there was an event: its name says when and where.
EventRecovery::Row &EventRecovery::adopt(const Event &named, const std::string &path) {
  constexpr double day = 86400, hour = 3600;
  Row &row = rows_[named.id];
  Event &e = row.event = named;
  e.label = "found";
  // A copy or a restored file may have any time: an event of more than an hour is none.
  e.end_time = std::clamp(written(path).value_or(e.start_time), e.start_time, e.start_time + hour);
  // What is older than its camera's days was kept by a person, or it would have gone before.
  const double days = storage_.retention().days_of(e.camera);
  e.retained = days > 0 && now_ - e.start_time > days * day;
  row.changed = true;
  return row;
}

// What the records say. A record is never older than its row.
void EventRecovery::read_records() {
  int back = 0, named = 0;
  std::map<std::string, Event *> open;
  for (Event &e : ended_) open[e.id] = &e;
  const auto look = [&](const std::string &id, const OwnFile &own, const std::string &path) {
    const auto at = rows_.find(id);
    if (at != rows_.end() && at->second.event.end_time && records_.fits(at->second.event)) {
      at->second.record = true;
      return;
    }
    const auto said = read_event_record(path, id);
    if (at == rows_.end()) {
      back += said.has_value();
      named += !said;
      Row &row = adopt(own.event, path);
      Event &e = row.event;
      if (said) {
        e = *said;
      } else { // believed until it is looked for
        constexpr double after = 5;
        e.of_recording = e.has_clip = true;
        e.clip_start = e.start_time;
        e.clip_end = *e.end_time + after;
      }
      row.record = said.has_value();
      doubtful_.add(id);
    } else if (said) {
      Event &e = at->second.event;
      const bool has_end = e.end_time.has_value();
      e = *said;
      at->second.changed = true;
      at->second.record = records_.fits(e); // what is written otherwise is written again, once
      doubtful_.add(id);
      if (const auto without = open.find(id); !has_end && without != open.end()) {
        without->second->end_time = e.end_time; // it is stored with its news
        e.end_time.reset();
      }
    }
    if (said) return;
    move_to_lost(path);
    if (at != rows_.end()) at->second.aside = true; // it is written again
  };
  std::error_code error;
  const auto files = own_files(storage_.file("events"), ".json", error);
  if (error)
    storage_.reports().add(
        text("the folder ", storage_.file("events"), " cannot be read: ", error.message()));
  for (const auto &[own, path] : files) {
    try {
      if (own.state == OwnFile::State::draft)
        remove_file(path);
      else if (own.state == OwnFile::State::whole)
        look(own.event.id, own, path);
    } catch (const std::exception &e) {
      storage_.reports().add(text(path, " is left as it is: ", e.what()));
    }
  }
  if (back)
    storage_.log(text(counted(back, "event"), " without a row in the database came back from ",
                      word_for(back, "its record", "their records")));
  if (named)
    storage_.reports().add(text(counted(named, "event"), " whose ",
                                word_for(named, "record is", "records are"),
                                " damaged came back with the label found"));
}

// It has no record, which goes before the row, and the database may be of a time before.
bool EventRecovery::was_deleted(const Row &row) const {
  const Event &e = row.event;
  return past_.old_rows && past_.had_records && e.end_time && e.of_recording && !row.record && !row.aside &&
         is_gone(storage_.file(record_path(e)));
}

void EventRecovery::move_to_lost(const std::string &path) {
  const fs::path below = fs::path(path).lexically_relative(storage_.path());
  const fs::path to = fs::path(storage_.file("lost")) / below;
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::rename(path, to, error);
  if (error)
    storage_.reports().add(text(path, " is damaged and cannot be moved to lost/: ", error.message()));
  else
    storage_.reports().add(text(path, " is damaged and is now ", to.string()));
}

void EventRecovery::take_clip(const Event &named, bool half_written, std::string path) {
  const auto at = rows_.find(named.id);
  if (half_written) {
    const std::string whole = storage_.file(clip_path(named));
    if (!close_half_written(path)) { // nothing in it can be played
      if (size_of(path) == 0)
        remove_file(path);
      else
        move_to_lost(path);
      return;
    }
    if (!is_gone(whole) || std::rename(path.c_str(), whole.c_str()) != 0) return move_to_lost(path);
    path = whole;
    closed_++;
  }
  if (size_of(path) == 0) return move_to_lost(path);
  adopted_ += at == rows_.end();
  Row &row = at == rows_.end() ? adopt(named, path) : at->second;
  row.clip = true;
  Event &e = row.event;
  const std::int64_t bytes = size_of(path);
  if (e.has_clip && !e.of_recording && e.clip_bytes == bytes) return;
  e.of_recording = false;
  e.clip_end.reset();
  found_ += !e.has_clip && at != rows_.end(); // finished, but the row did not learn of it
  e.has_clip = row.changed = true;
  e.clip_bytes = bytes;
  if (!e.clip_start) e.clip_start = e.start_time;
}

void EventRecovery::take_thumbnail(const Event &named, const std::string &path) {
  if (size_of(path) == 0) return move_to_lost(path);
  const auto at = rows_.find(named.id);
  adopted_ += at == rows_.end();
  (at == rows_.end() ? adopt(named, path) : at->second).snapshot = true;
}

void EventRecovery::read_files() {
  for (const char *folder : {"clips", "thumbs"}) {
    const bool clips = !std::strcmp(folder, "clips");
    std::error_code error;
    const auto files = own_files(storage_.file(folder), clips ? ".mp4" : ".jpg", error);
    if (error)
      storage_.reports().add(
          text("the folder ", storage_.file(folder), " cannot be read: ", error.message()));
    for (const auto &[own, path] : files) {
      try {
        if (own.state == OwnFile::State::draft)
          remove_file(path);
        else if (clips)
          take_clip(own.event, own.state == OwnFile::State::part, path);
        else if (own.state == OwnFile::State::whole)
          take_thumbnail(own.event, path);
      } catch (const std::exception &e) { // this file stays as it is
        storage_.reports().add(text(path, " is left as it is: ", e.what()));
      }
    }
  }
}

void EventRecovery::store_rows() {
  std::map<std::string, double> ends;
  for (const Event &e : ended_) ends[e.id] = *e.end_time;
  int half = 0, missing = 0, deleted = 0;
  std::string unwritten;
  for (auto &[id, row] : rows_) {
    Event &e = row.event;
    // Only a file that is certainly gone is missing: one that cannot be looked at may come back.
    const bool clip_gone = e.has_clip && !e.of_recording && !row.clip && is_gone(storage_.file(clip_path(e)));
    const bool snapshot = row.snapshot || (e.has_snapshot && !is_gone(storage_.file(thumb_path(e))));
    missing += clip_gone;
    if (clip_gone) {
      e.has_clip = false;
      e.clip_bytes = 0;
    }
    row.changed = row.changed || clip_gone;
    if (e.has_snapshot != snapshot) {
      e.has_snapshot = snapshot;
      row.changed = true;
      row.record = row.record && !e.of_recording;
    }
    // What a killed program did not come to say of a clip that is a part of the recording.
    if (e.of_recording && !e.has_clip && (e.end_time || ends.count(id))) {
      const auto end = e.end_time;
      if (!end) e.end_time = ends[id];
      doubtful_.look_for(e);
      if (!e.has_clip) { // the index may not know yet what is there
        e.of_recording = true;
        doubtful_.add(id);
      }
      e.end_time = end;
      row.changed = true;
      row.record = false;
      half++;
    }
    if (was_deleted(row)) {
      storage_.events().remove(id);
      deleted++;
      continue;
    }
    if (e.end_time && row.record != e.of_recording) try {
        records_.put(e);
      } catch (const Error &error) { // the next start tries it again
        if (unwritten.empty()) unwritten = error.what();
      }
    if (row.changed) storage_.events().put(e);
  }
  if (closed_)
    storage_.log(text(counted(closed_, "half-written clip was", "half-written clips were"), " closed after ",
                      word_for(closed_, "its", "their"), " last whole part"));
  if (adopted_)
    storage_.reports().add(text(counted(adopted_, "clip or picture without an event became an event",
                                        "clips and pictures without an event became events"),
                                " with the label found"));
  if (found_)
    storage_.log(text(counted(found_, "finished clip was given back to its event",
                              "finished clips were given back to their events")));
  if (missing)
    storage_.reports().add(text(counted(missing, "event has lost its clip", "events have lost their clips"),
                                ": the ", word_for(missing, "file is", "files are"), " gone"));
  if (half)
    storage_.log(
        text("of ", counted(half, "event"), " the clip was not known, and is looked for in the recording"));
  if (!unwritten.empty()) storage_.reports().add("records of events are missing: " + unwritten);
  if (deleted)
    storage_.log(
        text(counted(deleted, "event that had been deleted stays", "events that had been deleted stay"),
             " deleted"));
}

} // namespace vigil::monitor
