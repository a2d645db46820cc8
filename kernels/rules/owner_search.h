// SPDX-License-Identifier: LGPL-2.1-or-later
// Who may have put down an object that begins: of the objects that were there for at least 0.5 s and are 1.3
// times as tall, whose box moved out by half of its height touches the new one, the one with the highest
// number.
// Source: this project.
#pragma once

#include "kernels/rules/tracked_object.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vigil::rules {

class OwnerSearch {
 public:
  // Sorts the objects that are there by the left end of their reach. Indices stay valid when objects are
  // added at the end.
  void prepare(const std::vector<TrackedObject> &, double seconds);
  // 0: none.
  std::uint64_t owner_of(const track::Box &, const std::vector<TrackedObject> &) const;

 private:
  struct Reach {
    double left; // px
    std::size_t index;
  };
  std::vector<Reach> reaches_;
  double widest_ = 0; // of the reaches
};

} // namespace vigil::rules
