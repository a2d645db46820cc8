// SPDX-License-Identifier: LGPL-2.1-or-later
// events.jsonl: each finished event as one line of JSON. A line is stored in the database together with its
// event and waits there until the file has it, so a program that is killed between the two loses no line.
#pragma once

#include "storage.h"

namespace vigil::monitor {

class EventLog {
 public:
  explicit EventLog(Storage &storage) : storage_(storage) {}

  // The line of this event, to be given to EventStore::put together with it.
  Posting line(const Event &);
  // Appends the lines that wait; true when there were any. Throws Error::write; what is not in the file yet
  // goes on waiting.
  bool write_waiting();

 private:
  // A program that was killed may have appended the first line that waits, or a part of it. True when the
  // whole line is there; a part is cut off.
  bool has_already(const std::string &line) const;

  Storage &storage_;
  bool waiting_ = true; // lines may wait from before the start
};

} // namespace vigil::monitor
