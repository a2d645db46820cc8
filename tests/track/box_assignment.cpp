// SPDX-License-Identifier: LGPL-2.1-or-later
// box_assignment.h: the cost of a pair as its formula says, and which tracks have which boxes.
#include "kernels/track/box_assignment.h"
#include "tests/track/steps.h"

#include <cmath>

namespace {

using namespace vigil::track;
using namespace vigil::track::test;

void costs() {
  const Params p;
  Track t = known(at(300, 240), 1);
  expect(near(cost_of(t, at(300, 240), p, 0.1), 0), "a box where it is predicted costs nothing");
  const double s = std::sqrt(30 * 60), r = p.jitter * s * p.jitter * s, off = 4;
  const double d2 = off * off / (2 * r); // the variance of a new track is that of a box
  const double overlap = (30 - off) / (30 + off);
  expect(near(cost_of(t, at(300 + off, 240), p, 0.1), (d2 / 16 + 1 - overlap) / 3),
         "the cost of a box 4 pixels off is the formula's");
  expect(std::isinf(cost_of(t, at(360, 240), p, 0.1)), "a box beyond the gate is forbidden");
  Detection car = at(300, 240);
  car.label = 7;
  expect(std::isinf(cost_of(t, car, p, 0.1)), "so is one of another label");
  Detection red = at(300, 240), blue = red;
  red.has_colour = blue.has_colour = true;
  red.colour = {96, 0, 0};
  blue.colour = {0, 0, 0};
  t.appearance = Appearance(red);
  expect(near(cost_of(t, red, p, 0.1), 0) && near(cost_of(t, blue, p, 0.1), 0.5 / 3),
         "a difference of colour of 96 costs a sixth");
}

// A member of a group may have turned round: half of its size off costs as one standard deviation.
void turned_in_a_group() {
  const Params p;
  Track t = known(at(300, 240), 1);
  const Detection off = at(322, 240);
  expect(std::isinf(cost_of(t, off, p, 0.1)), "half a size off is beyond the gate of a track alone");
  t.object.group = 1;
  t.sighting.measured = at(310, 240, 60, 60).box;
  expect(std::isfinite(cost_of(t, off, p, 0.1)), "and not of one that comes out of a group there");
  t.sighting.measured = at(200, 240, 60, 60).box;
  expect(std::isinf(cost_of(t, off, p, 0)), "but of one whose group is elsewhere");
}

void assigned_all_at_once() {
  const Params p;
  BoxAssignment assignment;
  // The first track is a little nearer to the second one's box; the second can only have that.
  std::vector<Track> tracks{known(at(300, 240), 1), known(at(306, 240), 2), known(at(500, 100), 3)};
  tracks[2].confirmation.confirmed = false;
  Frame f = frame_of({at(304, 240), at(297, 240), at(501, 100)});
  assignment.assign(p, f, tracks, true);
  expect(tracks[0].sighting.box == 1 && tracks[1].sighting.box == 0, "the sum of costs is least");
  expect(tracks[2].sighting.box == -1 && f.boxes[2].owners == 0, "a tentative track waits for its turn");
  assignment.assign(p, f, tracks, false);
  expect(tracks[2].sighting.box == 2 && f.boxes[2].owners == 1, "and has a box that is left");

  Frame g = frame_of({at(500, 100)});
  g.boxes[0].owners = 1;
  g.boxes[0].more = true; // its owner explains little of it
  tracks[2].sighting.begin_frame();
  assignment.assign(p, g, tracks, false);
  expect(tracks[2].sighting.box == 0 && g.boxes[0].rest == 2 && g.boxes[0].owners == 1,
         "the rest of a box goes to a tentative track");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"costs", costs},
      {"turned in a group", turned_in_a_group},
      {"assigned all at once", assigned_all_at_once},
  };
  return vigil::test::run_cases("track box assignment", cases);
}
