// SPDX-License-Identifier: LGPL-2.1-or-later
// left_object_rule.h: objects that are left, taken along, and taken out of the background.
#include "kernels/rules/left_object_rule.h"
#include "tests/track/objects.h"

namespace {

using namespace vigil;
using namespace vigil::rules;
using namespace vigil::rules::test;

const Settings settings;
const Projection projection;

Zone hall(const std::string &name = "hall") {
  Zone z;
  z.name = name;
  z.polygon = {{0, 0}, {640, 0}, {640, 480}, {0, 480}};
  z.left_object = 4;
  return z;
}

// A bag at x = 300 that has rested since 0 s, and its owner at `owner_at`.
struct Scene {
  ObjectTable table;
  LeftObjectRule rule;
  std::vector<Event> events;
  explicit Scene(double owner_at) {
    table.meet(std::vector{track_at(1, owner_at, 300, 100), track_at(2, 300, 300, 30)}, 0, projection,
               settings);
    bag().placed.owner = 1;
  }
  TrackedObject &bag() { return table.objects()[1]; }
  std::string step(const Zone &zone, double seconds) {
    events.clear();
    rule.step(zone, bag(), table, seconds, events);
    return names(events);
  }
};

void left() {
  Scene s(520);
  expect(s.step(hall(), 3.9).empty(), "not before the zone's seconds are over");
  expect(s.step(hall(), 4) == "object-left" && s.events[0].owner == 1 && s.events[0].id == 2,
         "and then, by its owner");
  expect(s.step(hall(), 5).empty(), "once");
  s.bag().rest.furthest = 50; // its size is 21
  expect(s.step(hall(), 6) == "object-removed" && s.events[0].owner == 1, "it is taken along");
  expect(Scene(400).step(hall(), 9).empty(), "its owner stays with it");
  Scene nobody(520);
  nobody.bag().placed.owner = 0;
  expect(nobody.step(hall(), 9).empty(), "it belongs to nobody");
  Scene moved(520);
  moved.bag().rest.furthest = 25;
  expect(moved.step(hall(), 9).empty(), "it has moved by its size");
  Zone off = hall();
  off.left_object = 0;
  expect(Scene(520).step(off, 9).empty(), "the zone does not ask for it");
}

void ends() {
  Scene s(520);
  const std::vector zones{hall("first"), hall("second")};
  s.rule.end(zones, s.bag(), s.events);
  expect(s.events.empty(), "an object that was not left ends without a report");
  s.step(zones[0], 5);
  s.events.clear();
  s.rule.end(zones, s.bag(), s.events);
  expect(names(s.events) == "object-removed" && *s.events[0].rule == "first",
         "a left one is removed, of one zone");
}

void ghosts() {
  const std::vector zones{hall()};
  const std::vector ghost{Ghost{track_at(0, 300, 300, 30).object.box, "motion"}};
  const auto taken = [&](double x, double tall) {
    ObjectTable t;
    t.meet(std::vector{track_at(1, x, 300, tall), track_at(2, 600, 100, tall)}, 0, projection, settings);
    LeftObjectRule rule;
    std::vector<Event> events;
    for (const double seconds : {0., 1., 3.9}) rule.step(zones, ghost, t, projection, seconds, events);
    if (events.size() == 1) expect(events[0].owner == 1, "by the one who is near");
    const std::size_t once = events.size();
    rule.step(zones, ghost, t, projection, 8, events);
    expect(events.size() == 2 * once, "a ghost that comes after more than 3 s is another one");
    rule.forget_ghosts();
    rule.step(zones, ghost, t, projection, 8.1, events);
    expect(events.size() == 3 * once, "and so is one that was forgotten");
    return once;
  };
  expect(taken(360, 100) == 1, "it was taken, reported once for its place");
  expect(taken(20, 100) == 0, "nobody was near");
  expect(taken(360, 35) == 0, "nobody is taller");
  Scene s(360);
  s.bag().placed.left = true;
  std::vector<Event> events;
  s.rule.step(zones, ghost, s.table, projection, 1, events);
  expect(!s.bag().placed.left && s.bag().placed.owner == 0, "a track at the ghost was not left there");
}

} // namespace

int main() {
  left();
  ends();
  ghosts();
  return failures ? 1 : 0;
}
