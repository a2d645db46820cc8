// SPDX-License-Identifier: LGPL-2.1-or-later
// Events in zones and at lines, from the tracks of each frame.
//
//   object_table.h      the objects, from tracks whose numbers may change
//   zone_rule.h         stays: enter, leave, count, loitering, speed, and crowds (crowd_rule.h)
//   left_object_rule.h  objects that are left behind or taken away
//   line_rule.h         crossings of lines
//
// Pixels and seconds. An object is at its anchor (rules.h). Events come in the order of rules, then ids. Time
// that goes back forgets all but totals. The same input gives the same events.
#pragma once

#include "kernels/rules/left_object_rule.h"
#include "kernels/rules/line_rule.h"
#include "kernels/rules/zone_rule.h"

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::rules {

class RuleEngine {
 public:
  // Rules in pixels; what is known stays for zones and lines whose names stay. Events of before are gone.
  void set(Rules pixels);
  void set(const Settings &s) { settings_ = s; }
  const Rules &rules() const { return rules_; }
  void step(std::span<const Subject>, double seconds, std::span<const Ghost> = {});
  std::span<const Event> events() const { return events_; }
  // All objects are gone, as at the end of the stream: reports the stays that end.
  void finish();
  void reset_totals();

  ZoneCount count(std::size_t zone) const { return zones_[zone].count(); }
  LineTotal total(std::size_t line) const { return lines_[line].total(); }

 private:
  void meet(std::span<const Subject>, double seconds);
  // The objects that are gone at this time; infinity: all without a track.
  void forget(double seconds);
  void step_zones(double seconds);

  Settings settings_;
  Rules rules_;
  Projection projection_;
  ObjectTable table_;
  std::vector<ZoneRule> zones_; // one for each zone of the rules
  std::vector<LineRule> lines_;
  LeftObjectRule left_objects_;
  std::vector<Event> events_;
  double last_ = 0; // seconds
  bool started_ = false;
};

} // namespace vigil::rules
