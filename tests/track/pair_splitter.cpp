// SPDX-License-Identifier: LGPL-2.1-or-later
// pair_splitter.h: the shape of a pair, and when a track becomes two.
#include "kernels/track/pair_splitter.h"
#include "tests/track/steps.h"

namespace {

using namespace vigil::track;
using namespace vigil::track::test;

Detection blob(double w, double h, double across, double down, double y = 240) {
  Detection d = at(300, y, w, h);
  d.spread = {across * w * w, down * h * h};
  return d;
}

void shapes() {
  expect(looks_like_a_pair(blob(42, 64, 0.075, 0.056)), "two people");
  expect(!looks_like_a_pair(blob(42, 64, 0.047, 0.060)), "one person is heavy in the middle");
  expect(!looks_like_a_pair(blob(42, 64, 1 / 12., 1 / 12. + 1e-6)), "a rectangle is no pair");
  expect(!looks_like_a_pair(blob(30, 64, 0.075, 0.056)), "too narrow");
  expect(!looks_like_a_pair(blob(62, 64, 0.075, 0.056)), "too wide");
  expect(!looks_like_a_pair(blob(20, 31, 0.075, 0.056)), "too few pixels");
  expect(!looks_like_a_pair(blob(42, 64, 0, 0)), "no moments");
}

// Frames of 0.1 s with this blob, until the track is two; at most ten.
int frames_until_two(const Detection &d, std::vector<Track> &tracks, Lifecycle &lifecycle, int from = 0) {
  for (int n = from; n < 10; n++) {
    Frame f = frame_of({d}, 1 + n * 0.1, 0.125);
    for (Track &t : tracks) t.sighting.begin_frame();
    give(f, tracks[0], 0);
    PairSplitter(f, tracks, lifecycle).split();
    if (tracks.size() > 1) return n + 1;
  }
  return 0;
}

void splits() {
  const Detection pair = blob(42, 64, 0.075, 0.056);
  Lifecycle lifecycle;
  std::vector<Track> tracks{known(pair, lifecycle.new_id())};
  expect(frames_until_two(pair, tracks, lifecycle) == 3, "a pair is two tracks after 0.3 s");
  if (tracks.size() != 2) return;
  expect(tracks[0].object.id == 1 && tracks[1].object.id == 2, "the second has a number of its own");
  for (const Track &t : tracks) {
    expect(t.object.state == State::grouped && t.object.group == 1 && t.sighting.in_group, "of one group");
    expect(near(t.motion.width.p, 21) && near(t.motion.height.p, 64), "each half of the box");
    expect(!t.appearance.known(), "whose colour is not known yet");
  }
  expect(near(tracks[0].motion.x.p, 300 - 10.5) && near(tracks[1].motion.x.p, 300 + 10.5), "side by side");
}

void does_not_split() {
  const Detection pair = blob(42, 64, 0.075, 0.056), cut = blob(42, 64, 0.075, 0.056, 480 - 32);
  Lifecycle lifecycle;
  std::vector<Track> tracks{known(cut, 1)};
  expect(frames_until_two(cut, tracks, lifecycle) == 0, "the lower border cuts the shape off");
  tracks = {known(pair, 1)};
  Frame f = frame_of({pair});
  give(f, tracks[0], 0);
  f.boxes[0].owners = 2;
  tracks[0].pair_for = 0.29;
  PairSplitter(f, tracks, lifecycle).split();
  expect(tracks.size() == 1 && tracks[0].pair_for == 0, "a box in which two are known is no pair");
  tracks[0].pair_for = 0.2;
  Frame g = frame_of({blob(42, 64, 0.047, 0.06)});
  tracks[0].sighting.begin_frame();
  give(g, tracks[0], 0);
  PairSplitter(g, tracks, lifecycle).split();
  expect(near(tracks[0].pair_for, 0.2 - 0.025), "a frame without the shape takes a quarter of its time off");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"shapes", shapes},
      {"splits", splits},
      {"does not split", does_not_split},
  };
  return vigil::test::run_cases("track pair splitter", cases);
}
