// SPDX-License-Identifier: LGPL-2.1-or-later
// Where objects were left, and whether they are still there.
//
// A left object's own track says little while somebody passes in front of it: its place is an estimate then,
// its track may go along with a passer-by, or end. So its place is watched, in one of three states:
//
//   there   Its track is found by itself, no more than two of its sizes away, or another object is at the
//           place (IoU of at least `same`): that is the left object then, whatever its number.
//   hidden  It is not found, and a taller object was near when it was last there, within half of its height.
//           When no taller object's box touches the place for `empty_for` seconds, the object was removed.
//   still   It is not found any more, though nobody was near: nobody took it, the background has taken it up.
//           Only a ghost there says that it was removed (left_object_rule.h).
//
// Its own track that goes away by itself, and leaves the place empty, took it along. The oldest of more than
// most_places is forgotten.
// Source: this project.
#pragma once

#include "kernels/rules/object_table.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vigil::rules {

class LeftPlaces {
 public:
  static constexpr double same = 0.3, empty_for = 1; // seconds
  static constexpr std::size_t most_places = 256;

  // An object was left, in this zone.
  void add(const Zone &, const TrackedObject &);
  // One frame. Reports what was removed; the types of these events stay until the next call.
  void step(std::span<const Zone>, ObjectTable &, double seconds, std::vector<Event> &);
  // What was left at a ghost's box was taken: it was reported.
  void erase_at(const track::Box &);
  void rename(std::span<const Rename>);
  void clear() { places_.clear(); }

 private:
  struct Place {
    std::uint64_t id = 0, owner = 0; // of the object's track, and of who left it
    std::string zone, type;
    track::Box box;
    Point at;
    double there = 0; // seconds, when it was last seen there
    double empty = 0; // seconds, since when the place is seen empty; before `there`: it is not
    bool hidden = false;
  };
  void find(Place &, ObjectTable &, double seconds) const;

  std::vector<Place> places_, removed_;
};

} // namespace vigil::rules
