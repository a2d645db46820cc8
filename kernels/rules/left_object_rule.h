// SPDX-License-Identifier: LGPL-2.1-or-later
// Objects that are left behind or taken away, in zones with `left_object` seconds.
//
//   left     An object that never moved by its own size, whose track began at a taller object's box (its
//            owner, owner_search.h), rests for the zone's seconds, and the owner is two of its heights away
//            or gone.
//   removed  The place of a left object was hidden, and is seen without it for a second (left_places.h).
//   taken    Where a ghost is seen (background laid bare: the object that was there belonged to the
//            background), and an object at least 1.3 times as tall is within twice its own height, that
//            object (the owner of the event) removed something. It is reported at once, since the ghost is
//            background soon, and once for a place: a ghost that is seen again within 3 s is the same. A
//            ghost need not be a track: most do not last for long enough.
// Source: this project.
#pragma once

#include "kernels/rules/left_places.h"
#include "kernels/rules/object_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace vigil::rules {

class LeftObjectRule {
 public:
  // One frame of one object in one zone: whether it was left.
  void step(const Zone &, TrackedObject &, const ObjectTable &, double seconds, std::vector<Event> &);
  // Once a frame, after that: whether what was left is still there.
  void watch(std::span<const Zone>, ObjectTable &, double seconds, std::vector<Event> &);
  // The ghosts of one frame.
  void step(std::span<const Zone>, std::span<const Ghost>, ObjectTable &, const Projection &, double seconds,
            std::vector<Event> &);
  void rename(std::span<const Rename> renames) { places_.rename(renames); }
  // All objects and ghosts are gone, as at the end of the stream. Whether what was left is taken nobody sees.
  void forget();

 private:
  struct RemovedObject { // a ghost that was reported
    track::Box box;
    double last; // seconds, when it was seen
  };
  bool is_known(const Ghost &, double seconds);

  LeftPlaces places_;
  std::vector<RemovedObject> taken_;
};

} // namespace vigil::rules
