// SPDX-License-Identifier: LGPL-2.1-or-later
// The storage folder: database, clips, thumbnails, records of events, models, events.jsonl. Files and rows
// are made and taken away together.
//
// Evidence is never deleted because something is unknown. The program touches only files that it names
// itself (clips/CAMERA/DAY/ID.mp4, thumbs/CAMERA/DAY/ID.jpg, events/CAMERA/DAY/ID.json, where DAY and CAMERA
// are those of ID), gives files without a row an event, and moves what is damaged to lost/ or to a name with
// ".damaged-TIME".
//
// Lock order: the lock of records and rows, then those of the databases. Nothing else is called under it.
#pragma once

#include "../config/config.h"
#include "../motion/motion_history.h"
#include "../recording/index.h"
#include "../recording/places.h"
#include "doubtful_clips.h"
#include "event_reader.h"
#include "event_records.h"
#include "event_retention.h"
#include "event_store.h"
#include "storage_reports.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
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
  // What is known of the time before this start.
  struct Past {
    bool had_records = false; // the folder of records was there
    bool old_rows = false;    // the database's log was lost: rows may be of a time before the files
  };
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
  StorageReports &reports() { return reports_; }
  EventRetention &retention() { return *retention_; }
  const std::string &path() const { return path_; }
  std::string file(const std::string &below) const { return path_ + "/" + below; }

  // As EventRecovery::run().
  std::vector<Event> reconcile(double now);
  // From now on the index has what is in the folders of recordings: clips that were believed to be parts of
  // them are looked for. On any thread.
  void recordings_compared();
  void settle_clips(); // looks for those that are in doubt still; on any thread

  // Stores an event with its news, after its record (event_records.h). On any thread. Throw Error::write.
  void put(const Event &, const std::vector<Posting> &news = {});
  bool change(const Event &, const std::vector<Posting> &news);   // false: as EventStore::change()
  std::optional<Event> set_retained(const std::string &id, bool); // the event; empty: there is none

  // Removes the files, then the row: what is reported as deleted does not come back. True when there was
  // such an event. Throws Error::write when a file cannot be removed; the row stays then.
  bool remove(const Event &);

  // Whole files, on the disk when these return (common/file.h). Throw Error::write.
  void write_file(const std::string &below, const std::string &bytes);
  // The whole line, on the disk, or nothing.
  void append_line(const std::string &below, const std::string &line);

  void log(const std::string &line) const { log_(line); }

 private:
  void open_database();
  void free_name(const std::string &path); // of what bars a file of that name

  Past past_;
  const std::string path_;
  FolderLock lock_;
  Log log_;
  StorageReports reports_;
  const EventRecords records_;
  std::mutex both_lock_; // what changes or removes records and rows holds it
  const RecordingPlaces places_;
  std::unique_ptr<EventStore> events_;
  std::unique_ptr<RecordingIndex> recordings_;
  std::unique_ptr<EventReader> reader_;
  std::unique_ptr<MotionHistory> motion_;
  std::unique_ptr<DoubtfulClips> doubtful_; // both_lock_
  std::unique_ptr<EventRetention> retention_;
};

} // namespace vigil::monitor
