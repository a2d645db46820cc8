// SPDX-License-Identifier: LGPL-2.1-or-later
// single_update.h: a track and the box that it has for itself.
#include "kernels/track/single_update.h"
#include "tests/track/steps.h"

#include <cmath>

namespace {

using namespace vigil::track;
using namespace vigil::track::test;

const Params params;

Track updated(Track t, const Detection &d, double seconds = 1) {
  Frame f = frame_of({d}, seconds);
  give(f, t, 0);
  SingleUpdate(params, f).update(t);
  return t;
}

void partial() {
  const Track whole = known(at(300, 240, 30, 80), 1);
  const Detection legs = at(302, 268, 20, 24);
  const Track part = updated(whole, legs);
  expect(part.sighting.partial && near(part.motion.width.p, 30) && near(part.motion.height.p, 80),
         "a part leaves the size as it is");
  expect(std::abs(part.motion.x.p - 300) < 1 && std::abs(part.motion.y.p - 240) < 1, "and nearly the place");
  const Track small = updated(whole, legs, 0.9 + 2.01);
  expect(!small.sighting.partial && small.motion.height.p < 79,
         "after lost-after it is as small as it looks");
}

void border() {
  Track t = known(of({600, 200, 40, 50}), 1); // cut off at the right
  t.motion.cut_x = Cut::high;
  t = updated(t, of({590, 200, 50, 50}));
  expect(t.motion.cut_x == Cut::high && near(t.motion.width.p, 50) && near(t.motion.x.p, 615),
         "what is seen of it ends at the border");
  expect(t.motion.x.v < 0 || t.motion.x.pv == 0, "and only its free edge has moved");
}

void turned_round() {
  Track t = known(at(300, 240), 1);
  t.motion.x.v = 50;
  const Track moved = updated(t, at(304, 240));
  expect(moved.motion.x.v != 0, "a box near the prediction keeps the velocity");
  t.object.group = 1;
  const Track turned = updated(t, at(340, 240));
  expect(near(turned.motion.x.p, 340) && turned.motion.x.v == 0 && turned.object.group == 0,
         "one that comes out of a group elsewhere starts anew there");
}

void colour() {
  Detection red = at(300, 240);
  red.has_colour = true;
  red.colour = {200, 0, 0};
  Track t = updated(known(at(300, 240), 1), red);
  expect(t.appearance.known() && t.appearance.difference(red) == 0, "the first colour is taken");
  Detection black = red;
  black.colour = {};
  t = updated(t, black);
  expect(near(t.appearance.difference(red), 20 / 192., 1e-5), "a tenth of the next one");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"partial", partial},
      {"border", border},
      {"turned round", turned_round},
      {"colour", colour},
  };
  return vigil::test::run_cases("track single update", cases);
}
