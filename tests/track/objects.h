// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks and objects made by hand, for the tests of the rules.
#pragma once

#include "kernels/rules/object_table.h"
#include "tests/unit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vigil::rules::test {

using vigil::test::expect;

// A track with its lower edge's middle at (x, y).
inline Subject track_at(std::uint64_t id, double x, double y, double tall = 60, double vx = 0) {
  Subject s;
  s.object.id = id;
  s.object.box = {x - tall / 4, y - tall, tall / 2, tall};
  s.object.state = track::State::tracked;
  s.object.vx = vx;
  s.type = "person";
  return s;
}
inline Subject estimated(Subject s) {
  s.object.state = track::State::predicted;
  return s;
}
// An object that is found at a place, and was at `before` in the frame before.
inline TrackedObject object_at(std::uint64_t id, Point at, Point before) {
  TrackedObject o;
  o.id = id;
  o.type = "person";
  o.box = track_at(id, at.x, at.y).object.box;
  o.path = {at, before, before, at, before, false};
  o.now.here = o.now.found = true;
  return o;
}
inline TrackedObject object_at(std::uint64_t id, Point at) {
  return object_at(id, at, at);
}
inline std::string names(const std::vector<Event> &events) {
  std::string all;
  for (const Event &e : events) {
    if (!all.empty()) all += ' ';
    all += name_of(e.kind);
  }
  return all;
}

} // namespace vigil::rules::test
