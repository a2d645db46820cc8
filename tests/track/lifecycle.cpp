// SPDX-License-Identifier: LGPL-2.1-or-later
// lifecycle.h: how tracks begin, are confirmed and end.
#include "kernels/track/lifecycle.h"
#include "tests/track/steps.h"

namespace {

using namespace vigil::track;
using namespace vigil::track::test;

const Params params;

void begins() {
  Lifecycle life;
  std::vector<Track> tracks;
  Frame f = frame_of({at(100, 100), at(200, 100), at(300, 100), at(400, 100)});
  f.boxes[1].owners = 1;
  f.boxes[2].object = true;
  f.boxes[3].owners = 1;
  f.boxes[3].more = true;
  life.begin(params, f, tracks);
  expect(tracks.size() == 3, "a track for each box without an owner, and for the rest of one");
  if (tracks.size() != 3) return;
  expect(!tracks[0].confirmation.confirmed && tracks[0].object.id == 0, "tentative");
  expect(tracks[1].confirmation.confirmed && tracks[1].object.id == 1, "but one that parted is confirmed");
}

// Frames of 0.1 s, in those of which `found` says so the track is found. The frame of its confirmation.
template <class Found>
int confirmed_in(Found &&found) {
  Lifecycle life;
  std::vector<Track> tracks;
  Frame f = frame_of({at(100, 100)}, 0);
  life.begin(params, f, tracks);
  for (int n = 1; n < 12; n++) {
    f = frame_of({at(100, 100)}, n * 0.1);
    tracks[0].sighting.begin_frame();
    tracks[0].confirmation.frames++;
    if (found(n)) give(f, tracks[0], 0);
    life.age(params, f, tracks);
    if (tracks[0].confirmation.confirmed) return n;
  }
  return 0;
}

void confirms() {
  expect(confirmed_in([](int) { return true; }) == 3, "after 0.25 s");
  expect(confirmed_in([](int n) { return n % 2 == 0; }) == 4, "found in half of the frames");
  expect(confirmed_in([](int n) { return n % 4 == 0; }) == 0, "but not in a quarter of them");
}

// How many of one track are left at this time, when it was last seen at 0.9 s.
std::size_t left(double seconds, bool stationary, double x = 300) {
  Lifecycle life;
  std::vector<Track> tracks{known(at(x, 240), 4)};
  tracks[0].object.stationary = stationary;
  life.end_lost(params, frame_of({}, seconds), tracks);
  expect(life.ended().size() == 1 - tracks.size(), "one that ends is reported");
  return tracks.size();
}

void ends() {
  expect(left(2.8, false) == 1 && left(3, false) == 0, "2 s after it was last seen");
  expect(left(60, true) == 1 && left(61, true) == 0, "a stationary one after 60 s");
  expect(left(1, false, -5) == 0, "at once when its centre leaves the picture unseen");
  Lifecycle life;
  std::vector<Track> tracks{known(at(300, 240), 4)};
  life.end_after_gap(params, 9, 9.9, tracks);
  expect(tracks.size() == 1, "a gap of 9 s is none");
  life.end_after_gap(params, 11, 11.9, tracks);
  expect(tracks.empty() && life.ended().size() == 1, "after one of 11 s it is gone");
  std::vector<Track> rare{known(at(300, 240), 0)};
  rare[0].confirmation = {false, 0, 3, 1};
  life.forget_ended();
  life.end_lost(params, frame_of({}), rare);
  expect(rare.empty() && life.ended().empty(), "a tentative one that is found rarely ends without a report");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"begins", begins},
      {"confirms", confirms},
      {"ends", ends},
  };
  return vigil::test::run_cases("track lifecycle", cases);
}
