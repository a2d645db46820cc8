// SPDX-License-Identifier: LGPL-2.1-or-later
// Which object a new track is, under another number.
//
// A track that begins within `hand_over` after another one of its type ended, and within its own size of the
// last place of that one, is that object. So is a track that begins where another one should be, which is
// predicted and not stationary, when the two move the same way: their velocities differ by less than 0.6 of
// the faster one's. The nearest one is taken; of equally near ones that with the highest number.
// Source: this project.
#pragma once

#include "kernels/rules/settings.h"
#include "kernels/rules/tracked_object.h"

#include <cstddef>
#include <vector>

namespace vigil::rules {

class PredecessorSearch {
 public:
  // Sorts the objects that are missing or not found by their place. Indices stay valid when objects are
  // added at the end.
  void prepare(const std::vector<TrackedObject> &);
  // Null: none. Objects with the number 0 were taken already.
  TrackedObject *find(std::vector<TrackedObject> &, const TrackedObject &fresh, const track::Object &,
                      double seconds, const Settings &) const;

 private:
  std::vector<std::size_t> missing_;
};

} // namespace vigil::rules
