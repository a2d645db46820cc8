// SPDX-License-Identifier: LGPL-2.1-or-later
#include "storage.h"

#include "../recording/recorded_clip.h"
#include "administrators.h"
#include "common/error.h"
#include "common/file.h"
#include "mp4.h"
#include "own_files.h"
#include "salvage.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>
#include <unordered_map>
#include <utility>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

// Whose folder it is, where that is why nothing can be made in it: a volume of a container, say.
std::string owner_of(fs::path folder, const std::error_code &why) {
  if (why != std::errc::permission_denied) return "";
  struct stat s {};
  while (stat(folder.c_str(), &s) != 0) {
    if (!folder.has_parent_path() || folder == folder.parent_path()) return "";
    folder = folder.parent_path();
  }
  return text(" (", folder.string(), " belongs to user ", s.st_uid, ", and this program runs as user ",
              geteuid(), ")");
}

std::string prepared(const std::string &path) {
  for (const char *folder : {"clips", "thumbs", "events", "models", "masks", "recordings"}) {
    std::error_code error;
    fs::create_directories(fs::path(path) / folder, error);
    if (error)
      fail(Error::Kind::write, "cannot make the folder ", path, "/", folder, ": ", error.message(),
           owner_of(path, error), "; make it writable, or choose another storage path");
  }
  return path;
}

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

FolderLock::FolderLock(const std::string &folder)
    : file_(open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
      folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const auto held = [](int file) {
    return file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  };
  if (!held(file_) && !held(folder_)) return;
  unlock();
  fail(Error::Kind::io, "another vigil-monitor works with the storage folder ", folder,
       "; stop it, or choose another folder (--storage)");
}

FolderLock::~FolderLock() {
  unlock();
}

void FolderLock::unlock() const {
  if (file_ >= 0) close(file_);
  if (folder_ >= 0) close(folder_);
}

Storage::Storage(const std::string &path, Log log, std::shared_ptr<ColdFolder> cold)
    : had_records_(!is_gone(path + "/events")), path_(prepared(path)), lock_(path_), log_(std::move(log)),
      records_(path_, log_), places_(path_, std::move(cold)) {
  for (const char *name : {"administrators", "audit.jsonl", "events.jsonl"}) free_name(file(name));
  open_database();
  recordings_ = std::make_unique<RecordingIndex>(file("events.db"));
  recording_retention_ = std::make_unique<RecordingRetention>(*recordings_, places_, path_, log_);
  reader_ = std::make_unique<EventReader>(file("events.db"));
  motion_ =
      std::make_unique<MotionHistory>(file("motion.db"), [this](const std::string &what) { report(what); });
  days_ = events_->retain_days();
}

void Storage::open_database() {
  const std::string path = file("events.db");
  if (const std::string moved = move_unreadable_log_aside(path); !moved.empty()) {
    old_rows_ = true;
    report(moved + "; events whose files are there come back from their files");
  }
  try {
    check_database(path);
    events_ = std::make_unique<EventStore>(path);
    return;
  } catch (const DamagedDatabase &e) {
    log_(e.what());
  }
  const bool administrators = may_have_administrators(path); // what cannot be read may have had some
  const std::string aside = move_aside(path);
  if (administrators) remember_administrators(path, true);
  events_ = std::make_unique<EventStore>(path);
  const int events = salvage(aside, path, log_);
  report(text("the database was damaged and is now ", aside, "; ", events,
              " events could be read from it, and events whose files are there come back from their files"));
}

void Storage::report(const std::string &what) {
  log_(what);
  constexpr std::size_t most = 100;
  const std::lock_guard guard(reports_lock_);
  if (reports_.size() < most) reports_.push_back(what);
}

std::vector<std::string> Storage::reports() const {
  const std::lock_guard guard(reports_lock_);
  return reports_;
}

void Storage::move_to_lost(const std::string &path) {
  const fs::path below = fs::path(path).lexically_relative(path_);
  const fs::path to = fs::path(file("lost")) / below;
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::rename(path, to, error);
  if (error)
    report(text(path, " is damaged and cannot be moved to lost/: ", error.message()));
  else
    report(text(path, " is damaged and is now ", to.string()));
}

// A file alone says that there was an event: its name says when and where.
Storage::Row &Storage::adopt(Rows &rows, const Event &named, const std::string &path, double now) const {
  constexpr double day = 86400, hour = 3600;
  Row &row = rows[named.id];
  Event &e = row.event = named;
  e.label = "found";
  // A copy or a restored file may have any time: an event of more than an hour is none.
  e.end_time = std::clamp(written(path).value_or(e.start_time), e.start_time, e.start_time + hour);
  // What is older than its camera's days was kept by a person, or it would have gone before.
  const double days = days_of(e.camera);
  e.retained = days > 0 && now - e.start_time > days * day;
  row.changed = true;
  return row;
}

// What the records say. A record is never older than its row.
void Storage::read_records(Rows &rows, std::vector<Event> &ended, double now) {
  int back = 0, named = 0;
  std::map<std::string, Event *> open;
  for (Event &e : ended) open[e.id] = &e;
  const auto look = [&](const std::string &id, const OwnFile &own, const std::string &path) {
    const auto at = rows.find(id);
    if (at != rows.end() && at->second.event.end_time && records_.fits(at->second.event)) {
      at->second.record = true;
      return;
    }
    const auto said = read_event_record(path, id);
    if (at == rows.end()) {
      back += said.has_value();
      named += !said;
      Row &row = adopt(rows, own.event, path, now);
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
      doubtful_.insert(id);
    } else if (said) {
      Event &e = at->second.event;
      const bool has_end = e.end_time.has_value();
      e = *said;
      at->second.changed = true;
      at->second.record = records_.fits(e); // what is written otherwise is written again, once
      doubtful_.insert(id);
      if (const auto without = open.find(id); !has_end && without != open.end()) {
        without->second->end_time = e.end_time; // it is stored with its news
        e.end_time.reset();
      }
    }
    if (said) return;
    move_to_lost(path);
    if (at != rows.end()) at->second.aside = true; // it is written again
  };
  std::error_code error;
  const auto files = own_files(file("events"), ".json", error);
  if (error) report(text("the folder ", file("events"), " cannot be read: ", error.message()));
  for (const auto &[own, path] : files) {
    try {
      if (own.state == OwnFile::State::draft)
        remove_file(path);
      else if (own.state == OwnFile::State::whole)
        look(own.event.id, own, path);
    } catch (const std::exception &e) {
      report(text(path, " is left as it is: ", e.what()));
    }
  }
  if (back) log_(text(back, " events without a row in the database came back from their records"));
  if (named) report(text(named, " events whose records are damaged came back with the label found"));
}

// It has no record, which goes before the row, and the database may be of a time before.
bool Storage::was_deleted(const Row &row) const {
  const Event &e = row.event;
  return old_rows_ && had_records_ && e.end_time && e.of_recording && !row.record && !row.aside &&
         is_gone(file(record_path(e)));
}

std::vector<Event> Storage::reconcile(double now) {
  std::vector<Event> ended = events_->unfinished();
  if (!ended.empty())
    log_(text(ended.size(),
              " events had no end, because the program was stopped: they end when they were last seen"));
  int adopted = 0, closed = 0, missing = 0, found = 0, deleted = 0;
  // All rows are read at once, and what is found of their files is noted: to ask for each file and each row
  // by itself takes a minute where there are 200,000.
  Rows rows;
  for (Event &e : events_->oldest_first()) {
    std::string id = e.id;
    rows[std::move(id)].event = std::move(e);
  }
  read_records(rows, ended, now);
  const auto clip = [&](const OwnFile &own, std::string path) {
    const auto at = rows.find(own.event.id);
    if (own.state == OwnFile::State::part) {
      const std::string whole = file(clip_path(own.event));
      if (!close_half_written(path)) { // nothing in it can be played
        if (size_of(path) == 0)
          remove_file(path);
        else
          move_to_lost(path);
        return;
      }
      if (!is_gone(whole) || std::rename(path.c_str(), whole.c_str()) != 0) return move_to_lost(path);
      path = whole;
      closed++;
    }
    if (size_of(path) == 0) return move_to_lost(path);
    adopted += at == rows.end();
    Row &row = at == rows.end() ? adopt(rows, own.event, path, now) : at->second;
    row.clip = true;
    Event &e = row.event;
    const std::int64_t bytes = size_of(path);
    if (e.has_clip && !e.of_recording && e.clip_bytes == bytes) return;
    e.of_recording = false;
    e.clip_end.reset();
    found += !e.has_clip && at != rows.end(); // finished, but the row did not learn of it
    e.has_clip = row.changed = true;
    e.clip_bytes = bytes;
    if (!e.clip_start) e.clip_start = e.start_time;
  };
  const auto thumb = [&](const OwnFile &own, const std::string &path) {
    if (size_of(path) == 0) return move_to_lost(path);
    const auto at = rows.find(own.event.id);
    adopted += at == rows.end();
    (at == rows.end() ? adopt(rows, own.event, path, now) : at->second).snapshot = true;
  };
  for (const char *folder : {"clips", "thumbs"}) {
    const bool clips = !std::strcmp(folder, "clips");
    std::error_code error;
    const auto files = own_files(file(folder), clips ? ".mp4" : ".jpg", error);
    if (error) report(text("the folder ", file(folder), " cannot be read: ", error.message()));
    for (const auto &[own, path] : files) {
      try {
        if (own.state == OwnFile::State::draft)
          remove_file(path);
        else if (clips)
          clip(own, path);
        else if (own.state == OwnFile::State::whole)
          thumb(own, path);
      } catch (const std::exception &e) { // this file stays as it is
        report(text(path, " is left as it is: ", e.what()));
      }
    }
  }
  std::map<std::string, double> ends;
  for (const Event &e : ended) ends[e.id] = *e.end_time;
  int half = 0;
  std::string unwritten;
  for (auto &[id, row] : rows) {
    Event &e = row.event;
    // Only a file that is certainly gone is missing: one that cannot be looked at may come back.
    const bool clip_gone = e.has_clip && !e.of_recording && !row.clip && is_gone(file(clip_path(e)));
    const bool snapshot = row.snapshot || (e.has_snapshot && !is_gone(file(thumb_path(e))));
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
      find_clip(e);
      if (!e.has_clip) { // the index may not know yet what is there
        e.of_recording = true;
        doubtful_.insert(id);
      }
      e.end_time = end;
      row.changed = true;
      row.record = false;
      half++;
    }
    if (was_deleted(row)) {
      events_->remove(id);
      deleted++;
      continue;
    }
    if (e.end_time && row.record != e.of_recording) try {
        records_.put(e);
      } catch (const Error &error) { // the next start tries it again
        if (unwritten.empty()) unwritten = error.what();
      }
    if (row.changed) events_->put(e);
  }
  if (closed) log_(text(closed, " half-written clips were closed after their last whole part"));
  if (adopted)
    report(text(adopted, " clips and pictures without an event became events with the label found"));
  if (found) log_(text(found, " finished clips were given back to their events"));
  if (missing) report(text(missing, " events have lost their clip: the file is gone"));
  if (half) log_(text("of ", half, " events the clip was not known, and is looked for in the recording"));
  if (!unwritten.empty()) report("records of events are missing: " + unwritten);
  if (deleted) log_(text(deleted, " events that had been deleted stay deleted"));
  for (Event &e : ended) { // with what was found of its files
    const auto end = e.end_time;
    e = events_->get(e.id).value_or(e);
    e.end_time = end;
  }
  return ended;
}

// What the recording has of it by the index.
void Storage::find_clip(Event &e) const {
  constexpr double after = 5; // what is configured may have been more
  const std::int64_t from = micros(e.clip_start.value_or(e.start_time)),
                     to = micros(e.clip_end.value_or(*e.end_time + after));
  const ClipResult part = recorded_clip(recordings_->segments(e.camera, from, to, true), from, to,
                                        [this](const Segment &s) { return places_.file(s); });
  e.has_clip = e.of_recording = part.good;
  e.clip_bytes = part.bytes;
  e.clip_end = part.end;
  if (part.good) e.clip_start = part.start;
}

void Storage::recordings_compared() {
  {
    const std::lock_guard guard(both_lock_);
    compared_ = true;
  }
  settle_clips();
}

void Storage::settle_clips() {
  std::set<std::string> ids;
  {
    const std::lock_guard guard(both_lock_);
    if (!compared_) return;
    ids.swap(doubtful_);
  }
  for (const std::string &id : ids) {
    const std::lock_guard guard(both_lock_);
    auto e = events_->get(id);
    if (!e || !e->of_recording) continue;
    if (!e->end_time) { // its end is on its way
      doubtful_.insert(id);
      continue;
    }
    const bool known = e->has_clip && e->clip_bytes > 0 && e->clip_start && e->clip_end;
    if (known &&
        !recordings_->segments(e->camera, micros(*e->clip_start), micros(*e->clip_end), false).empty())
      continue;
    find_clip(*e);
    records_.put(*e);
    events_->put(*e);
  }
}

void Storage::put(const Event &e, const std::vector<Posting> &news) {
  const std::lock_guard guard(both_lock_);
  records_.put(e);
  events_->put(e, news);
}

bool Storage::change(const Event &e, const std::vector<Posting> &news) {
  const std::lock_guard guard(both_lock_);
  const auto row = events_->get(e.id);
  if (!row || row->retained != e.retained) return false;
  records_.put(e);
  return events_->change(e, news);
}

std::optional<Event> Storage::set_retained(const std::string &id, bool retained) {
  const std::lock_guard guard(both_lock_);
  auto e = events_->get(id);
  if (!e) return std::nullopt;
  e->retained = retained;
  records_.put(*e);
  events_->set_retained(id, retained);
  return e;
}

bool Storage::remove(const Event &e) {
  const std::lock_guard guard(both_lock_);
  for (const std::string &below : {clip_path(e), thumb_path(e), record_path(e)}) {
    const std::string path = file(below);
    remove_file(path);
    std::error_code error;
    const fs::path folder = fs::path(path).parent_path();
    sync_folder(folder.string());
    fs::remove(folder, error); // only when it is empty
  }
  return events_->remove(e.id);
}

void Storage::set_retention(const std::map<std::string, CameraConfig> &cameras, double otherwise) {
  recording_retention_->set_days(cameras);
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
  if (!changed.empty()) events_->set_retain_days(changed);
}

double Storage::days_of(const std::string &camera) const {
  const auto known = days_.find(camera);
  return known == days_.end() ? otherwise_ : known->second;
}

// What its going frees in the storage folder.
std::int64_t Storage::room_of(const Event &e) const {
  if (!e.of_recording || !e.clip_start || !e.clip_end) return e.clip_bytes;
  const auto segments = recordings_->segments(e.camera, micros(*e.clip_start), micros(*e.clip_end), false);
  const bool here = std::any_of(segments.begin(), segments.end(), [](const Segment &s) { return !s.cold; });
  return here ? e.clip_bytes : 0;
}

// The events that may have to go, oldest first, and of each camera the first that will: enough for
// plan_retention() and next_departure(), without reading the whole table.
std::vector<Kept> Storage::candidates(const DiskState &disk) const {
  const int at_once = 1000 + static_cast<int>(stuck_.size()); // more go with the next pass
  constexpr double day = 86400;
  std::map<std::pair<double, std::string>, Kept> all;
  const auto add = [&](const Event &e) {
    all[{e.start_time, e.id}] = {e.id, e.camera, e.start_time, room_of(e), false, days_of(e.camera)};
  };
  for (const std::string &camera : events_->cameras()) {
    const double days = days_of(camera);
    const auto first = events_->oldest(camera, false, 1);
    if (days <= 0 || first.empty()) continue;
    add(first.front());
    if (!disk.clock_trusted || disk.now - first.front().start_time <= days * day) continue;
    for (const Event &e : events_->oldest(camera, false, at_once)) {
      add(e);
      if (disk.now - e.start_time <= days * day) break;
    }
  }
  const bool full = (disk.max_size > 0 && disk.clip_bytes > disk.max_size) || disk.free < disk.min_free;
  for (const Event &e : events_->oldest("", true, full ? at_once : 1)) add(e);
  std::vector<Kept> out;
  for (auto &[at, k] : all) out.push_back(std::move(k));
  return out;
}

Departed Storage::retain(const DiskState &disk) {
  settle_clips();
  constexpr double day = 24 * 3600;
  if (disk.clock_trusted && (!counts_went_ || std::abs(disk.now - *counts_went_) >= day)) {
    events_->forget_counts(disk.now - days_of_counts * day);
    motion_->forget(disk.now, [this](const std::string &camera) {
      double days = days_of(camera);
      if (recording_retention_->records(camera)) // the timeline shows both
        days = longer_days(days, recording_retention_->days_of(camera, Segment::Tier::motion));
      return days > 0 ? days : days_of_counts;
    });
    counts_went_ = disk.now;
  }
  RecordingRetention::Result recordings = recording_retention_->retain(disk);
  Carried done = carry_out(candidates(recordings.left), recordings.left, [&](const Departure &d) {
    const auto event = events_->get(d.id);
    if (!event || event->retained) return false; // kept by a person meanwhile
    remove(*event);
    log_("retention: deleted event " + d.id + ": " + d.why);
    return true;
  });
  const auto before = std::exchange(stuck_, {done.stuck.begin(), done.stuck.end()});
  int more = 0;
  for (const std::string &id : stuck_) more += before.count(id) == 0;
  if (more > 0)
    log_(text("retention: ", more, more == 1 ? " event" : " events",
              " cannot be deleted, which is tried again each minute; the first: ", done.why));
  return {std::move(done.gone), std::move(recordings.gone)};
}

std::optional<std::string> Storage::next_departure(const DiskState &disk) const {
  auto recording = recording_retention_->next_departure(disk);
  DiskState for_events = disk;
  if (recording) for_events.max_size = 0; // segments go before events
  const auto events = monitor::next_departure(candidates(for_events), for_events);
  if (recording && events) return *recording + "; " + *events;
  return recording ? recording : events;
}

DiskState Storage::disk(const StorageConfig &c, double now, bool clock_trusted) const {
  std::error_code error;
  const auto space = fs::space(path_, error);
  return {now,
          static_cast<std::int64_t>(c.max_size),
          error ? INT64_MAX / 2 : static_cast<std::int64_t>(space.available),
          static_cast<std::int64_t>(c.min_free),
          reader_->clip_bytes() + recordings_->bytes() - recordings_->cold_bytes(),
          clock_trusted};
}

void Storage::free_name(const std::string &path) {
  if (const std::string moved = move_barred_aside(path); !moved.empty()) report(moved);
}

void Storage::write_file(const std::string &below, const std::string &bytes) {
  const std::string path = file(below);
  free_name(path);
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  replace_file(path, {reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()});
}

void Storage::append_line(const std::string &below, const std::string &line) {
  const std::string path = file(below), whole = line + '\n';
  free_name(path);
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(Error::Kind::write, "cannot write ", path, ": ", std::strerror(errno));
  struct stat info {};
  const bool measured = fstat(descriptor, &info) == 0;
  bool written = measured;
  for (std::size_t done = 0; written && done < whole.size();) {
    const ssize_t n = write(descriptor, whole.data() + done, whole.size() - done);
    if (n > 0)
      done += static_cast<std::size_t>(n);
    else
      written = n < 0 && errno == EINTR;
  }
  written = written && fsync(descriptor) == 0;
  const int why = errno;
  // Where even this fails, half of a line stays, and the next start finds it.
  if (!written && measured) std::ignore = ftruncate(descriptor, info.st_size);
  close(descriptor);
  if (!written) fail(Error::Kind::write, "cannot write ", path, ": ", std::strerror(why));
}

} // namespace vigil::monitor
