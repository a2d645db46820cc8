// SPDX-License-Identifier: LGPL-2.1-or-later
// Crossings of a line. With h = hysteresis in pixels and s = settle time:
//
//   cross      The signed crossings of an object's path are summed (geometry.h). When it has been at least h
//              from the line for s, a sum that is not 0 is one crossing of that sign. So an object that
//              jitters on the line, stands on it or turns round there counts once or not at all.
//   hidden     The way that an object came hidden in others' boxes is a part of its path.
//   parts      An object is a part of another one when that crossed the line the same way within the last
//              `hand_over`, their velocities differ by less than 0.35 of the faster one's, and one box lies
//              above or in the other: at least half of the narrower one above, below or in the other, and
//              either clear of it, with less than 0.4 of the larger one's size between them, or nearly all
//              of it inside. Parts do not count.
//   labels     Where the filter names labels, the crossing of an object without a label waits until it has
//              one, and is forgotten when the object is gone before.
//   wrong way  A crossing in the direction that the rule names is reported as wrong as well.
// Source: this project.
#pragma once

#include "kernels/rules/by_id.h"
#include "kernels/rules/object_table.h"
#include "kernels/rules/settings.h"
#include "kernels/rules/tracked_object.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vigil::rules {

struct LineTotal {
  std::uint64_t forward = 0, backward = 0;
};

class LineRule {
 public:
  explicit LineRule(const Line &line) : line_(line) {}
  // The total goes on. Where the points are other ones, crossings that have begun are forgotten.
  void set(const Line &);
  const std::string &name() const { return line_.name; }
  LineTotal total() const { return total_; }
  void reset_totals() { total_ = {}; }

  void step(const ObjectTable &, double seconds, const Settings &, std::vector<Event> &);
  void rename(std::span<const Rename>);
  void forget(const std::function<bool(std::uint64_t id)> &gone);

 private:
  struct Side {
    std::uint64_t id = 0;
    int sum = 0;            // of signed crossings
    double away_since = -1; // seconds, since when it is h from the line; -1: it is nearer
  };
  struct Crossing {
    std::uint64_t id = 0;
    Direction direction = Direction::forward;
    double seconds = 0;
  };
  // Whether the object has crossed the line, and settled.
  bool has_crossed(Side &, const TrackedObject &, double seconds, const Settings &) const;
  void cross(const TrackedObject &, Direction, const ObjectTable &, double seconds, std::vector<Event> &);
  void cross_named(const ObjectTable &, double seconds, std::vector<Event> &);
  bool is_part_of_crossed(const TrackedObject &, Direction, const ObjectTable &, double seconds) const;

  Line line_;
  LineTotal total_;
  std::vector<Side> sides_;         // by id
  std::vector<Crossing> unnamed_;   // of objects that have no label yet
  std::vector<Crossing> crossings_; // of the last `hand_over`, the latest last
};

} // namespace vigil::rules
