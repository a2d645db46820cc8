// SPDX-License-Identifier: LGPL-2.1-or-later
// part_merger.h and parting.h: boxes that are parts of one track, and tracks that are two objects.
#include "kernels/track/part_merger.h"
#include "tests/track/steps.h"

#include <string>

namespace {

using namespace vigil::track;
using namespace vigil::track::test;

const Params params;

void parts_are_one_track() {
  std::vector<Track> tracks{known(at(300, 240, 30, 90), 1)};
  const Detection upper = at(300, 212, 28, 34), lower = at(300, 268, 26, 34);
  Frame f = frame_of({upper, lower});
  PartMerger(params, f, tracks).merge();
  const Sighting &s = tracks[0].sighting;
  expect(s.box == 0 && f.boxes[0].owners == 1 && f.boxes[1].owners == 1 && f.boxes[1].part_of == 0,
         "both parts are the track's");
  expect(s.measured == hull_of(upper, lower), "and its box holds both");
  expect(s.parts.found && !s.parts.diagonal && near(s.parts.gap_y, 22) && near(s.parts.gap_x, 0),
         "they are two large parts, one above the other");

  std::vector<Track> one{known(at(300, 240, 30, 90), 1)};
  Frame g = frame_of({at(300, 235, 30, 70), at(300, 280, 10, 6)});
  PartMerger(params, g, one).merge();
  expect(g.boxes[1].part_of == 0 && !one[0].sighting.parts.found, "a sliver is a part, but no large one");

  std::vector<Track> tentative{known(at(300, 240, 30, 90), 1)};
  tentative[0].confirmation.confirmed = false;
  Frame h = frame_of({upper, lower});
  PartMerger(params, h, tentative).merge();
  expect(h.boxes[0].owners == 0, "tentative tracks have no parts");
}

void diagonal_parts_are_two() {
  std::vector<Track> tracks{known(at(300, 240, 80, 80), 1)};
  Frame f;
  int frames = 0;
  do {
    f = frame_of({at(280, 220, 36, 36), at(320, 258, 36, 44)}, 1 + frames * 0.1);
    tracks[0].sighting.begin_frame();
    PartMerger(params, f, tracks).merge();
  } while (f.boxes[0].owners && ++frames < 9);
  // Sums of 0.1 s: the third may be a little below 0.3.
  expect(frames == 2 || frames == 3, "diagonal parts are two objects after 0.3 s: " + std::to_string(frames));
  expect(tracks[0].sighting.box == 1 && near(tracks[0].motion.height.p, 44),
         "the taller one keeps the track");
  expect(f.boxes[0].object, "the other one is an object at once");
}

PartPair pair_of(double gap, double size = 40) {
  PartPair p;
  p.found = true;
  p.size = size;
  p.gap_y = gap;
  return p;
}

void partings() {
  const Motion still = Motion::of_new(at(300, 240, 40, 100).box, params);
  const Box whole = still.predicted();
  {
    Parting p;
    bool two = false;
    for (int n = 0; n < 30; n++) two |= p.update(pair_of(10 + n), still, whole, true, 0.1);
    expect(!two, "where only the gap grows, the middle of one object fades");
  }
  {
    Parting p;
    p.update(pair_of(10), still, whole, true, 0.1);
    Box longer = whole;
    longer.height += 9;
    expect(!p.update(pair_of(19), still, longer, true, 0.1), "both grow by less than a quarter of the part");
    longer.height += 2;
    expect(p.update(pair_of(21), still, longer, true, 0.1), "and by more: two objects");
  }
  {
    Parting p;
    p.update(pair_of(10), still, whole, true, 0.1);
    Motion gone = still;
    gone.x.p += 39;
    expect(!p.update(pair_of(10), gone, whole, true, 0.1), "it has moved by less than its larger part");
    gone.x.p += 2;
    Parting again = p;
    expect(p.update(pair_of(10), gone, whole, true, 0.1), "and by more: what hides the middle does not move");
    again.update(PartPair{}, gone, whole, true, 0.1); // seen whole
    expect(!again.update(pair_of(10), gone, whole, true, 0.1), "one that was seen whole begins anew");
  }
  {
    Parting p;
    p.update(pair_of(10), still, whole, true, 0.1);
    expect(p.update(pair_of(10), still, {0, 0, 62, 100}, true, 0.1),
           "parts that span 1.5 times the area are two");
  }
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"parts are one track", parts_are_one_track},
      {"diagonal parts are two", diagonal_parts_are_two},
      {"partings", partings},
  };
  return vigil::test::run_cases("track part merger", cases);
}
