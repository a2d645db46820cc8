// SPDX-License-Identifier: LGPL-2.1-or-later
// The objects that the rules know, from the tracks of each frame.
//
//   hidden  A track that came hidden in others' boxes before it was first seen (back_trace.h) has that way as
//           the begin of its path.
//   found   Places that are estimates move no object: its path goes on where the object is found again.
//   ids     A new track may be an object that is known already (predecessor_search.h): that goes on under the
//           new number. Objects without a track are kept for `hand_over`.
//   owner   A new object may have been put down by another one (owner_search.h).
#pragma once

#include "kernels/rules/by_id.h"
#include "kernels/rules/owner_search.h"
#include "kernels/rules/predecessor_search.h"
#include "kernels/rules/projection.h"

#include <cstdint>
#include <span>
#include <vector>

namespace vigil::rules {

class ObjectTable {
 public:
  // The tracks of one frame. Returns the numbers that changed, in the order of the old ones; they stay until
  // the next call.
  std::span<const Rename> meet(std::span<const Subject>, double seconds, const Projection &,
                               const Settings &);
  std::vector<TrackedObject> &objects() { return objects_; } // by id
  const std::vector<TrackedObject> &objects() const { return objects_; }
  const TrackedObject *find(std::uint64_t id) const; // null: not known
  // All tracks end.
  void end_all();
  // Whether an object has had no track for `hand_over` at this time.
  static bool is_gone(const TrackedObject &, double seconds, const Settings &);
  void erase_gone(double seconds, const Settings &);

 private:
  void find_known(std::span<const Subject>, const Projection &);
  void add_new(double seconds, const Projection &, const Settings &);
  void add(const Subject &, double seconds, const Projection &, const Settings &);
  bool take_over(TrackedObject &fresh, const track::Object &, double seconds, const Settings &);

  std::vector<TrackedObject> objects_;
  PredecessorSearch predecessors_;
  OwnerSearch owners_;
  // Of one frame, with their memory kept.
  std::vector<const Subject *> new_;
  std::vector<Rename> renames_;
};

} // namespace vigil::rules
