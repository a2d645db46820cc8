// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames and tracks made by hand, for the tests of the tracker's steps.
#pragma once

#include "kernels/track/track.h"
#include "tests/unit.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace vigil::track::test {

using vigil::test::expect;

inline Detection at(double x, double y, double w = 30, double h = 60) {
  Detection d;
  d.box = {x - w / 2, y - h / 2, w, h};
  return d;
}
inline Box hull_of(const Detection &a, const Detection &b) {
  return hull(a.box, b.box);
}
inline Detection of(const Box &b) {
  Detection d;
  d.box = b;
  return d;
}
inline Frame frame_of(const std::vector<Detection> &boxes, double seconds = 1, double since = 0.1) {
  Frame f;
  f.seconds = seconds;
  f.since = since;
  f.width = 640;
  f.height = 480;
  f.take(boxes);
  return f;
}
// A confirmed track that was seen whole at this place until 0.9 s, and has been predicted for the frame.
inline Track known(const Detection &d, std::uint64_t id) {
  Track t;
  t.motion = Motion::of_new(d.box, Params{});
  t.confirmation = {true, 0, 10, 10};
  t.object.id = id;
  t.object.label = d.label;
  t.object.last_seen = t.whole_at = 0.9;
  t.object.state = State::tracked;
  t.standstill = {t.motion, 0};
  t.sighting.measured = d.box;
  t.sighting.begin_frame();
  return t;
}
// Gives a box of the frame to a track.
inline void give(Frame &f, Track &t, int box) {
  t.sighting.box = box;
  t.sighting.measured = f.boxes[std::size_t(box)].detection.box;
  f.boxes[std::size_t(box)].owners++;
}
inline bool near(double a, double b, double off = 1e-9) {
  return std::abs(a - b) <= off;
}

} // namespace vigil::track::test
