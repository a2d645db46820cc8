// SPDX-License-Identifier: LGPL-2.1-or-later
// Events whose clips are parts of the recording, outside the database: events/CAMERA/DAY/ID.json for each of
// them that has ended.
//
// A clip that is a file of its own names its event, so an event outlives its database. A part of the
// recording names none: without this file the event would be lost with its row. There is a file for each
// event, and no journal of all: it comes and goes with its event, as clips and pictures do, one that is
// damaged harms no other, and to delete an event needs no other event to be written again.
//
// A record is on the disk before its row, and goes before its row. So it is never older than the row, and an
// event that was deleted has none.
#pragma once

#include "event.h"

#include <functional>
#include <optional>
#include <string>

namespace vigil::monitor {

class EventRecords {
 public:
  using Log = std::function<void(const std::string &)>;
  EventRecords(std::string storage, Log log) : storage_(std::move(storage)), log_(std::move(log)) {}

  // Writes the record of an event that has ended and is a part of the recording; every other event has none
  // from then on. Throws Error::write.
  void put(const Event &) const;
  // Whether the record can be read and is as long as that of this event; it is not read.
  bool fits(const Event &) const;

 private:
  std::string file(const Event &e) const { return storage_ + "/" + record_path(e); }
  const std::string storage_;
  const Log log_;
};

std::string event_record(const Event &);
// The event of a record of this id; empty when the record is damaged. Its vector is in the database alone.
std::optional<Event> event_of_record(const std::string &record, const std::string &id);
// The same of a file; empty also when it cannot be read.
std::optional<Event> read_event_record(const std::string &path, const std::string &id);

} // namespace vigil::monitor
