// SPDX-License-Identifier: LGPL-2.1-or-later
// groups.h: which tracks are in a box, and how its edges move them.
#include "kernels/track/groups.h"
#include "tests/track/steps.h"

namespace {

using namespace vigil::track;
using namespace vigil::track::test;

const Params params;

void joins_what_is_larger() {
  const Detection a = at(300, 240), b = at(325, 240);
  std::vector<Track> tracks{known(a, 1), known(b, 2)};
  Frame f = frame_of({of(hull_of(a, b))});
  give(f, tracks[0], 0);
  Groups(params, f, tracks).join();
  expect(f.boxes[0].owners == 2 && tracks[1].sighting.box == 0 && tracks[1].sighting.shown,
         "a track without a box is in one that both explain");

  for (const bool were_group : {false, true}) {
    std::vector<Track> two{known(a, 1), known(at(303, 240), 2)};
    if (were_group) two[0].object.group = two[1].object.group = 1;
    Frame g = frame_of({a});
    give(g, two[0], 0);
    Groups(params, g, two).join();
    if (were_group)
      expect(two[1].sighting.box == 0 && !two[1].sighting.shown, "a member stays, without proof");
    else
      expect(two[1].sighting.box == -1 && g.boxes[0].owners == 1,
             "a track is not in the box of another one that hides it");
  }
  std::vector<Track> little{known(a, 1), known(at(302, 240), 2)};
  Frame wider = frame_of({of(hull_of(a, at(302, 240)))});
  give(wider, little[0], 0);
  Groups(params, wider, little).join();
  expect(little[1].sighting.box == -1, "a box that is explained better by 0.06 alone holds no second track");
  std::vector<Track> other{known(a, 1), known(b, 2)};
  other[1].object.label = 7;
  Frame g = frame_of({of(hull_of(a, b))});
  give(g, other[0], 0);
  Groups(params, g, other).join();
  expect(other[1].sighting.box == -1, "tracks of other labels do not join");
}

void something_else_is_in_it() {
  std::vector<Track> tracks{known(at(300, 240, 20, 40), 1)};
  Frame f = frame_of({at(300, 240, 200, 100)});
  Groups(params, f, tracks).join();
  expect(f.boxes[0].more && tracks[0].sighting.box == 0 && !tracks[0].sighting.shown,
         "a box of which its track is 4 % holds something else");
}

void edges_move_their_members() {
  const Detection a = at(300, 240), b = at(350, 240);
  std::vector<Track> tracks{known(a, 5), known(b, 3)};
  Frame f = frame_of({of(hull_of(a, at(354, 240)))}); // the right edge has moved on by 4
  give(f, tracks[0], 0);
  give(f, tracks[1], 0);
  Groups(params, f, tracks).update();
  expect(near(tracks[0].motion.x.p, 300, 0.01), "the left edge leaves its member where it is");
  expect(tracks[1].motion.x.p > 350.5 && tracks[1].motion.x.p <= 354, "the right edge moves the other one");
  for (const Track &t : tracks) {
    expect(t.object.state == State::grouped && t.object.group == 3 && t.sighting.in_group,
           "both are in the group of the least number");
    expect(near(t.motion.width.p, 30) && near(t.motion.height.p, 60), "and keep their sizes");
  }
  std::vector<Track> passed{known(a, 1), known(b, 2)};
  Frame g = frame_of({of(hull_of(a, at(480, 240)))}); // a car's edge
  give(g, passed[0], 0);
  give(g, passed[1], 0);
  Groups(params, g, passed).update();
  expect(near(passed[1].motion.x.p, 350), "an edge that is far away moves no member");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"joins what is larger", joins_what_is_larger},
      {"something else is in it", something_else_is_in_it},
      {"edges move their members", edges_move_their_members},
  };
  return vigil::test::run_cases("track groups", cases);
}
