// SPDX-License-Identifier: LGPL-2.1-or-later
// Events whose clips are believed to be parts of the recording. They are looked for once its index has what
// is in the folders. For the holder of Storage's lock of records and rows.
#pragma once

#include "../recording/index.h"
#include "../recording/places.h"
#include "event_records.h"
#include "event_store.h"

#include <set>
#include <string>

namespace vigil::monitor {

class DoubtfulClips {
 public:
  DoubtfulClips(EventStore &events, const EventRecords &records, RecordingIndex &recordings,
                const RecordingPlaces &places)
      : events_(events), records_(records), recordings_(recordings), places_(places) {}

  void add(const std::string &event) { events_in_doubt_.insert(event); }
  void index_is_whole() { index_is_whole_ = true; }
  // The events to settle, each by itself, so that the lock is not held for long. None before the index is
  // whole.
  std::set<std::string> take();
  void settle(const std::string &event);
  void look_for(Event &) const; // what the recording has of it by the index

 private:
  EventStore &events_;
  const EventRecords &records_;
  RecordingIndex &recordings_;
  const RecordingPlaces &places_;
  bool index_is_whole_ = false;
  std::set<std::string> events_in_doubt_;
};

} // namespace vigil::monitor
