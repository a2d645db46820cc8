// SPDX-License-Identifier: LGPL-2.1-or-later
// An event that a rule reports.
#pragma once

#include "kernels/rules/rules.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace vigil::rules {

enum class Kind {
  zone_enter,
  zone_leave,
  zone_count,
  loitering,
  crowd_begin,
  crowd_end,
  line_cross,
  wrong_way,
  object_left,
  object_removed,
  speed,
};
const char *name_of(Kind); // as the message is called: zone-enter, ...; both ends of a crowd: crowd

struct Event {
  Kind kind{};
  const std::string *rule = nullptr; // of the zone or line; stays until the rules change
  std::uint64_t id = 0, owner = 0;   // of tracks; 0: none
  std::uint64_t entered_id = 0;      // of a stay: the id that `id` had when it entered (see "ids" above)
  std::string_view type;             // of the object
  std::string label;                 // what it is called, empty: nothing
  Point at;
  Direction direction = Direction::forward;
  double seconds = 0;                      // of the stay
  double speed = 0;                        // metres or pixels a second
  int count = 0;                           // in the zone now
  std::uint64_t forward = 0, backward = 0; // totals of the line
};

} // namespace vigil::rules
