// SPDX-License-Identifier: LGPL-2.1-or-later
// The storage folder: database, clips, thumbnails, models, events.jsonl. Files and rows are made and taken
// away together.
#pragma once

#include "../config/config.h"
#include "events.h"
#include "retention.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

// Held while a program works with the folder: a second one would take clips that are being written for those
// of a program that was killed.
class FolderLock {
 public:
  // Throws Error::io when another holds it. Where the file system knows no locks there is none.
  explicit FolderLock(const std::string &folder);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

 private:
  int file_;
};

class Storage {
 public:
  using Log = std::function<void(const std::string &)>;
  // Makes the folders. Throws Error::write when it cannot, Error::bad_data on a newer version's database,
  // Error::io when another program works with them.
  Storage(const std::string &path, Log log);

  EventStore &events() { return events_; }
  const std::string &path() const { return path_; }
  std::string file(const std::string &below) const { return path_ + "/" + below; }

  // A clip without a row goes; a row without a clip says so; a half-written clip is closed or goes.
  // Returns the events that have no end, because the program was killed, with the end that they are to get:
  // whoever stores it tells of it, too.
  std::vector<Event> reconcile();
  // True when there was such an event.
  bool remove(const Event &);
  // Returns the events that went. Once a day heat and crossings older than days_of_counts go, too.
  static constexpr double days_of_counts = 400;
  std::vector<std::string> retain(const std::vector<Kept> &, const DiskState &);

  std::vector<Kept> kept(const std::map<std::string, CameraConfig> &) const;
  DiskState disk(const StorageConfig &, double now) const;

  // Writes a whole file or nothing (a neighbour file, then a rename).
  void write_file(const std::string &below, const std::string &bytes) const;
  // The whole line or nothing.
  void append_line(const std::string &below, const std::string &line) const;

 private:
  const std::string path_;
  FolderLock lock_;
  Log log_;
  EventStore events_;
  std::optional<double> counts_went_; // when they were looked at last
};

} // namespace vigil::monitor
