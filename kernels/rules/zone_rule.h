// SPDX-License-Identifier: LGPL-2.1-or-later
// Stays in a zone. With h = hysteresis in pixels and s = settle time:
//
//   enter, leave  An object is inside (outside) when its anchor has been inside (outside) and at least h from
//                 the border for s. A new object counts nearer to the border as well. An object that goes
//                 back before s is over has not crossed the border. A stay also ends when its object is gone.
//   loitering     A stay has taken `loitering` seconds.
//   speed         The object was found faster than `max_speed`.
//   crowd         crowd_rule.h
//   count         The number of objects inside, after each frame in which one entered or left.
// Loitering and speed are reported once for a stay. Source: this project.
#pragma once

#include "kernels/rules/by_id.h"
#include "kernels/rules/crowd_rule.h"
#include "kernels/rules/settings.h"
#include "kernels/rules/tracked_object.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vigil::rules {

struct ZoneCount {
  int inside = 0;
  std::uint64_t entered = 0, left = 0;
};

class ZoneRule {
 public:
  explicit ZoneRule(const Zone &zone) : zone_(zone) {}
  // Stays, crowd and count go on.
  void set(const Zone &zone) { zone_ = zone; }
  const std::string &name() const { return zone_.name; }
  ZoneCount count() const { return count_; }
  void reset_totals() { count_.entered = count_.left = 0; }

  // One frame of one object.
  void step(const TrackedObject &, double seconds, const Settings &, std::vector<Event> &);
  // The end of the frame, after all objects.
  void end_frame(double seconds, std::vector<Event> &);
  // The object is gone since this time.
  void end_stay(const TrackedObject &, double seconds, std::vector<Event> &);
  void rename(std::span<const Rename> renames) { rules::rename(stays_, renames); }
  void forget(const std::function<bool(std::uint64_t id)> &gone);

 private:
  struct Stay {
    std::uint64_t id = 0, entered_id = 0; // now, and when it entered
    bool inside = false;
    bool wants = false;                  // inside or outside, once it has settled
    bool loitered = false, sped = false; // reported
    double wants_since = 0, entered = 0; // seconds
  };
  void settle(Stay &, bool is_new, const TrackedObject &, double seconds, const Settings &) const;
  void enter(Stay &, const TrackedObject &, std::vector<Event> &);
  void leave(Stay &, const TrackedObject &, double seconds, std::vector<Event> &);
  void watch(Stay &, const TrackedObject &, double seconds, std::vector<Event> &) const;
  Event event_of_stay(Kind, const Stay &, const TrackedObject &, double seconds) const;

  Zone zone_;
  ZoneCount count_;
  std::vector<Stay> stays_; // by id
  CrowdRule crowd_;
};

} // namespace vigil::rules
