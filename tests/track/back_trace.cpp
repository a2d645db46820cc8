// SPDX-License-Identifier: LGPL-2.1-or-later
// back_trace.h: how far a track came before it was found.
#include "kernels/track/back_trace.h"
#include "tests/track/steps.h"

#include <optional>
#include <string>

namespace {

using namespace vigil::track;
using namespace vigil::track::test;

struct Case {
  double speed = 100;             // px/s of the track
  double hidden_from = 0;         // seconds; before, there are no boxes
  double step = 0.1;              // seconds between frames
  std::optional<Track> companion; // another track
};

// A track that is found at 3 s at x = 300, and hidden before in a box of 200 x 100 px that moves along.
double came(const Case &c) {
  BackTrace trace;
  Frame f;
  for (int n = 0; n * c.step < 3.35; n++) {
    const double now = n * c.step;
    const Detection around = at(300 + c.speed * (now - 3), 240, 200, 100);
    f = frame_of(now >= c.hidden_from ? std::vector{around} : std::vector<Detection>{}, now, c.step);
    if (now < 3.3) trace.remember(f);
  }
  Track t = known(at(300 + c.speed * (f.seconds - 3), 240, 20, 50), 1);
  t.motion.x.v = c.speed;
  t.object.first_seen = 3;
  t.confirmation.since = f.seconds;
  t.sighting.box = 0;
  std::vector<Track> tracks{t};
  if (c.companion) tracks.push_back(*c.companion);
  trace.trace(f, tracks);
  expect(tracks[0].traced, "it was looked for");
  return tracks[0].object.came_x;
}

void ways() {
  Case c;
  c.hidden_from = 1.95;
  expect(near(came(c), -100 * 1.3, 11), "to where the box began: " + std::to_string(came(c)));
  c.hidden_from = 0;
  expect(near(came(c), -100 * 2.3, 11), "at most 2 s before it was first seen: " + std::to_string(came(c)));
  c.hidden_from = 9;
  expect(near(came(c), -100 * 0.3, 11),
         "out of nothing: to where it was first seen: " + std::to_string(came(c)));
  c = {};
  c.speed = 10; // its size is 32 px
  expect(came(c) == 0, "a slow one has no way");
  c = {};
  c.companion = known(at(300 + 100 * 0.3, 230, 120, 60), 2);
  c.companion->motion.x.v = 100;
  expect(came(c) == 0, "one that goes along with another one out of its box has none");
  c.companion->motion.x.v = -100;
  expect(near(came(c), -100 * 2.3, 11), "but next to one that goes another way it has");
}

void over_a_gap() {
  BackTrace trace;
  trace.remember(frame_of({at(320, 240, 640, 480)}, 1));
  Frame f = frame_of({}, 3.4);
  Track t = known(at(340, 240), 1);
  t.motion.x.v = 100;
  t.object.first_seen = 3;
  t.confirmation.since = 3.4;
  t.sighting.box = 0;
  std::vector<Track> tracks{t};
  trace.trace(f, tracks);
  expect(near(tracks[0].object.came_x, -40), "boxes before a gap of 2 s do not count");
  trace.remember(frame_of({at(320, 240, 640, 480)}, 2.5));
  tracks = {t};
  trace.trace(f, tracks);
  expect(near(tracks[0].object.came_x, -90), "those after it do");
  trace.forget();
  tracks = {t};
  trace.trace(f, tracks);
  expect(near(tracks[0].object.came_x, -40), "and none when they are forgotten");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"ways", ways},
      {"over a gap", over_a_gap},
  };
  return vigil::test::run_cases("track back trace", cases);
}
