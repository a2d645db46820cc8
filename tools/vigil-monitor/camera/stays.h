// SPDX-License-Identifier: LGPL-2.1-or-later
// Loitering: a stay in a zone that is longer than its loiter_seconds makes an event, which lasts until that
// object has left. Its score is the length of the stay, and its clip shows its beginning alone: a car that
// parks for a day would fill the disk. A stay that becomes too long while the clip of another one is written
// belongs to that event; its score is the longest stay then. Knows no GStreamer.
#pragma once

#include "event_tracker.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace vigil::monitor {

class Stays {
 public:
  using Stay = std::pair<std::string, std::uint64_t>; // zone, and the object's track when it entered
  explicit Stays(EventTracker &events) : events_(events) {}

  void too_long(const Stay &, double time, double seconds);
  void left(const Stay &, double time, double seconds);
  void keep_zones(const std::map<std::string, Zone> &, double time); // stays in all others end
  void forget() { stays_.clear(); }

 private:
  using Place = std::map<Stay, std::string>::iterator;
  Place end(Place, double time);

  EventTracker &events_;
  std::map<Stay, std::string> stays_; // and the key of the event
};

} // namespace vigil::monitor
