// SPDX-License-Identifier: LGPL-2.1-or-later
// object_table.h: who is known, under which number, and whose it may be.
#include "tests/track/objects.h"

namespace {

using namespace vigil;
using namespace vigil::rules;
using namespace vigil::rules::test;

const Settings settings;
const Projection projection;

// Whether the first track goes on under the number 2 of one that begins at `x`, `gap` seconds later.
bool goes_on(double x, double gap, const char *type = "person") {
  ObjectTable t;
  t.meet(std::vector{track_at(1, 300, 240)}, 0, projection, settings);
  t.meet({}, gap / 2, projection, settings);
  Subject next = track_at(2, x, 240);
  next.type = type;
  const auto renames = t.meet(std::vector{next}, gap, projection, settings);
  const bool renamed = renames.size() == 1 && renames[0].id == 1 && renames[0].to == 2;
  expect(renamed == (t.objects().size() == 1) && t.find(2), "a number that changed is no object of its own");
  if (renamed) expect(t.find(2)->path.before == (Point{300, 240}), "and its path goes on");
  return renamed;
}

void numbers_change() {
  expect(goes_on(320, 0.5), "half a size away, after half a second");
  expect(!goes_on(350, 0.5), "further away than its size");
  expect(!goes_on(320, 1.5), "later than hand-over");
  expect(!goes_on(320, 0.5, "car"), "another type");
}

void lost_ones_are_replaced() {
  for (const double vx : {50., -50.}) {
    ObjectTable t;
    t.meet(std::vector{track_at(1, 300, 240, 60, 50)}, 0, projection, settings);
    const Subject lost = estimated(track_at(1, 310, 240, 60, 50));
    t.meet(std::vector{lost, track_at(2, 315, 240, 60, vx)}, 0.2, projection, settings);
    expect(t.objects().size() == (vx > 0 ? 1u : 2u),
           "a track that is lost goes on as one that moves as it does");
  }
}

void estimates_move_nobody() {
  ObjectTable t;
  t.meet(std::vector{track_at(1, 300, 240)}, 0, projection, settings);
  t.meet(std::vector{estimated(track_at(1, 500, 240))}, 0.1, projection, settings);
  const TrackedObject *o = t.find(1);
  expect(o && o->path.at == (Point{300, 240}) && o->now.here && !o->now.found, "an estimate moves no object");
  t.meet(std::vector{track_at(1, 310, 240)}, 0.2, projection, settings);
  o = t.find(1);
  expect(o && o->path.at == (Point{310, 240}) && o->path.before == (Point{300, 240}),
         "its path goes on there");
  t.meet(std::vector{estimated(track_at(9, 100, 100))}, 0.3, projection, settings);
  expect(!t.find(9), "a track that was never found is no object");
}

void hidden_way() {
  ObjectTable t;
  Subject s = track_at(1, 300, 240);
  s.object.came_x = -80;
  t.meet(std::vector{s}, 0, projection, settings);
  expect(t.find(1)->path.from == (Point{220, 240}), "where it came from, once");
  t.meet(std::vector{s}, 0.1, projection, settings);
  expect(t.find(1)->path.from == t.find(1)->path.begin, "and not again");
}

void owners() {
  ObjectTable t;
  const auto tall = track_at(1, 300, 300, 100), far = track_at(2, 600, 300, 100);
  for (int n = 0; n < 7; n++) t.meet(std::vector{tall, far}, n / 10., projection, settings);
  t.meet(
      std::vector{tall, far, track_at(3, 330, 300, 30), track_at(4, 290, 300, 95), track_at(5, 450, 100, 30)},
      0.7, projection, settings);
  expect(t.find(3)->placed.owner == 1, "the taller one at whose box it begins");
  expect(t.find(4)->placed.owner == 0, "nobody is much taller");
  expect(t.find(5)->placed.owner == 0, "nobody is near");
}

void forgets() {
  ObjectTable t;
  t.meet(std::vector{track_at(1, 300, 240), track_at(0, 100, 100)}, 0, projection, settings);
  expect(t.objects().size() == 1, "0 is no number");
  t.meet({}, 0.9, projection, settings);
  t.erase_gone(0.9, settings);
  expect(t.find(1), "kept for hand-over");
  t.meet({}, 1.1, projection, settings);
  t.erase_gone(1.1, settings);
  expect(!t.find(1), "and no longer");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"numbers change", numbers_change},
      {"lost ones are replaced", lost_ones_are_replaced},
      {"estimates move nobody", estimates_move_nobody},
      {"hidden way", hidden_way},
      {"owners", owners},
      {"forgets", forgets},
  };
  return vigil::test::run_cases("track object table", cases);
}
