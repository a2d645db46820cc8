// SPDX-License-Identifier: LGPL-2.1-or-later
// Crowds in a zone: a crowd begins when at least `crowd_count` objects have been in the zone for
// `crowd_seconds`, and ends when fewer have been for as long. Each is reported once.
// Source: this project.
#pragma once

#include "kernels/rules/event.h"

#include <optional>

namespace vigil::rules {

class CrowdRule {
 public:
  // One frame, with so many objects in the zone. crowd_begin or crowd_end, when it comes now.
  std::optional<Event> step(const Zone &, int inside, double seconds);

 private:
  bool crowded_ = false;
  double differs_since_ = -1; // since when the count says other than `crowded_`; -1: it does not
};

} // namespace vigil::rules
