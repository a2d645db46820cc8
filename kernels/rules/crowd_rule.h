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

inline std::optional<Event> CrowdRule::step(const Zone &zone, int inside, double seconds) {
  const bool many = zone.crowd_count > 0 && inside >= zone.crowd_count;
  if (many == crowded_) {
    differs_since_ = -1;
    return {};
  }
  if (differs_since_ < 0) differs_since_ = seconds;
  if (seconds - differs_since_ < zone.crowd_seconds) return {};
  crowded_ = many;
  Event e;
  e.kind = many ? Kind::crowd_begin : Kind::crowd_end;
  e.rule = &zone.name;
  e.count = inside;
  e.seconds = seconds - differs_since_;
  differs_since_ = -1;
  return e;
}

} // namespace vigil::rules
