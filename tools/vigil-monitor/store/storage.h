// SPDX-License-Identifier: LGPL-2.1-or-later
// The storage folder: database, clips, thumbnails, records of events, models, events.jsonl. Files and rows
// are made and taken away together.
//
// Evidence is never deleted because something is unknown. The program touches only files that it names
// itself (clips/CAMERA/DAY/ID.mp4, thumbs/CAMERA/DAY/ID.jpg, events/CAMERA/DAY/ID.json, where DAY and CAMERA
// are those of ID), gives files without a row an event, and moves what is damaged to lost/ or to a name with
// ".damaged-TIME".
#pragma once

#include "../config/config.h"
#include "../motion/motion_history.h"
#include "../recording/index.h"
#include "../recording/places.h"
#include "../recording/retention.h"
#include "event_reader.h"
#include "event_records.h"
#include "event_store.h"
#include "retention.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace vigil::monitor {

// Held while a program works with the folder: a second one would take clips that are being written for
// those of a program that was killed.
class FolderLock {
 public:
  // Throws Error::io when another holds it. Where the file system knows no locks there is none.
  explicit FolderLock(const std::string &folder);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

 private:
  void unlock() const;
  // Two locks: the file cannot be opened when a folder has its name, and older versions lock the file alone.
  const int file_, folder_;
};

class Storage {
 public:
  using Log = std::function<void(const std::string &)>;
  // Makes the folders. A damaged or unreadable database is moved aside, and what can be read of it goes
  // into a new one. Throws Error::write when the folder cannot be written, Error::bad_data on a newer
  // version's database, Error::io when another program works with the folder.
  // `cold`: the second folder of recordings; null: none.
  Storage(const std::string &path, Log log, std::shared_ptr<ColdFolder> cold = nullptr);

  EventStore &events() { return *events_; }
  RecordingIndex &recordings() { return *recordings_; }
  const RecordingPlaces &places() const { return places_; }
  const EventReader &reader() const { return *reader_; }
  MotionHistory &motion() { return *motion_; }
  const std::string &path() const { return path_; }
  std::string file(const std::string &below) const { return path_ + "/" + below; }

  // A record without a row becomes its event again. A finished clip or picture, or a damaged record, without
  // a row becomes an event with the label "found"; a row without its file says so; a half-written clip is
  // closed after its last whole part. A clip or picture that cannot be read stays where it is, and the log
  // says so. Returns the events that have no end, because the program was killed, with the end that they are
  // to get.
  std::vector<Event> reconcile(double now);
  // From now on the index has what is in the folders of recordings: clips that were believed to be parts of
  // them are looked for. On any thread.
  void recordings_compared();

  // Stores an event with its news, after its record (event_records.h). On any thread. Throw Error::write.
  void put(const Event &, const std::vector<Posting> &news = {});
  bool change(const Event &, const std::vector<Posting> &news);   // false: as EventStore::change()
  std::optional<Event> set_retained(const std::string &id, bool); // the event; empty: there is none

  // Removes the files, then the row: what is reported as deleted does not come back. True when there was
  // such an event. Throws Error::write when a file cannot be removed; the row stays then.
  bool remove(const Event &);

  // For how many days events are kept (0: no limit). A camera's own days, where the configuration says
  // them; else the longer of its last ones and `otherwise`. A camera that has left the configuration keeps
  // its last ones. Only an explicit `retain: {days: N}` shortens.
  void set_retention(const std::map<std::string, CameraConfig> &, double otherwise);
  double days_of(const std::string &camera) const;

  // Deletes what has to go, and returns it: segments of recordings (recording/retention.h), then events. An
  // event whose files cannot be removed stays, is logged once and tried again by each pass; others go in
  // its place. Once a day heat and crossings older than days_of_counts go, too, and what the history of
  // motion has longer than its camera's events are kept.
  static constexpr double days_of_counts = 400;
  Departed retain(const DiskState &);
  std::optional<std::string> next_departure(const DiskState &) const;
  DiskState disk(const StorageConfig &, double now, bool clock_trusted) const;

  // Whole files, on the disk when these return (common/file.h). Throw Error::write.
  void write_file(const std::string &below, const std::string &bytes);
  // The whole line, on the disk, or nothing.
  void append_line(const std::string &below, const std::string &line);

  // A file that was moved aside or could not be read: logged, and shown by storage_stats().
  void report(const std::string &what);
  std::vector<std::string> reports() const;

 private:
  void open_database();
  void free_name(const std::string &path); // of what bars a file of that name
  struct Row {                             // of an event, and what is found of its files
    Event event;
    bool clip = false, snapshot = false, changed = false;
    bool record = false, aside = false; // a sound one; a damaged one, which was moved to lost/
  };
  using Rows = std::unordered_map<std::string, Row>;
  Row &adopt(Rows &, const Event &named, const std::string &path, double now) const;
  void read_records(Rows &, std::vector<Event> &ended, double now);
  bool was_deleted(const Row &) const;
  void find_clip(Event &) const;
  void settle_clips();
  std::vector<Kept> candidates(const DiskState &) const;
  void move_to_lost(const std::string &path);
  std::int64_t room_of(const Event &) const;

  const bool had_records_; // the folder of records was there
  const std::string path_;
  FolderLock lock_;
  Log log_;
  const EventRecords records_;
  std::mutex both_lock_;           // what changes or removes records and rows holds it
  bool old_rows_ = false;          // the database's log was lost: rows may be of a time before the files
  bool compared_ = false;          // both_lock_: the index has what is in the folders
  std::set<std::string> doubtful_; // likewise: events whose clips may not be in the recording
  const RecordingPlaces places_;
  std::unique_ptr<EventStore> events_;
  std::unique_ptr<RecordingIndex> recordings_;
  std::unique_ptr<RecordingRetention> recording_retention_;
  std::unique_ptr<EventReader> reader_;
  std::unique_ptr<MotionHistory> motion_;
  std::map<std::string, double> days_; // of each camera, as last configured
  double otherwise_ = RecordConfig{}.retain_days;
  std::optional<double> counts_went_; // when they were looked at last
  std::set<std::string> stuck_;       // events that retention could not remove
  mutable std::mutex reports_lock_;
  std::vector<std::string> reports_;
};

} // namespace vigil::monitor
