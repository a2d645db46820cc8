// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/crowd_rule.h"

namespace vigil::rules {

std::optional<Event> CrowdRule::step(const Zone &zone, int inside, double seconds) {
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
