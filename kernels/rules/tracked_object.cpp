// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/tracked_object.h"

#include <algorithm>
#include <cmath>

namespace vigil::rules {

double size_of(const track::Box &b) {
  return std::sqrt(std::max(b.width, 1.) * std::max(b.height, 1.));
}

bool passes(const Filter &f, const TrackedObject &o) {
  if (o.box.height < f.min_height || (f.max_height > 0 && o.box.height > f.max_height)) return false;
  if (!f.labels.empty() && std::find(f.labels.begin(), f.labels.end(), o.label) == f.labels.end())
    return false;
  return f.classes.empty() || std::find(f.classes.begin(), f.classes.end(), o.type) != f.classes.end();
}

Event event_of(Kind kind, const std::string &rule, const TrackedObject &o) {
  Event e;
  e.kind = kind;
  e.rule = &rule;
  e.id = o.id;
  e.type = o.type;
  e.label = o.label;
  e.at = o.path.at;
  e.speed = o.velocity.speed;
  return e;
}

} // namespace vigil::rules
