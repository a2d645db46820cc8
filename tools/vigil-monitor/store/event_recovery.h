// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares rows, records and files of events at the start of the program, before any other thread.
#pragma once

#include "storage.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace vigil::monitor {

class EventRecovery {
 public:
  EventRecovery(Storage &, const EventRecords &, DoubtfulClips &, Storage::Past, double now);

  // A record without a row becomes its event again. A finished clip or picture, or a damaged record, without
  // a row becomes an event with the label "found"; a row without its file says so; a half-written clip is
  // closed after its last whole part. A clip or picture that cannot be read stays where it is, and the log
  // says so. Returns the events that have no end, because the program was killed, with the end that they are
  // to get.
  std::vector<Event> run();

 private:
  struct Row { // of an event, and what is found of its files
    Event event;
    bool clip = false, snapshot = false, changed = false;
    bool record = false, aside = false; // a sound one; a damaged one, which was moved to lost/
  };
  using Rows = std::unordered_map<std::string, Row>;
  Row &adopt(const Event &named, const std::string &path);
  void read_records();
  void read_files();
  void take_clip(const Event &named, bool half_written, std::string path);
  void take_thumbnail(const Event &named, const std::string &path);
  void store_rows();
  bool was_deleted(const Row &) const;
  void move_to_lost(const std::string &path);

  Storage &storage_;
  const EventRecords &records_;
  DoubtfulClips &doubtful_;
  const Storage::Past past_;
  const double now_; // UTC
  Rows rows_;
  std::vector<Event> ended_;                 // had no end
  int adopted_ = 0, closed_ = 0, found_ = 0; // clips and pictures
};

} // namespace vigil::monitor
