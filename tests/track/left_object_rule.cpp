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

// What becomes of the bag at x = 300 that was left at 4 s; frames from then on, ten a second.
struct Left {
  const std::vector<Zone> zones{hall()};
  ObjectTable table;
  LeftObjectRule rule;
  std::vector<Event> events;
  double seconds = 4;
  Left() {
    table.meet(std::vector{track_at(1, 520, 300, 100), track_at(2, 300, 300, 30)}, 0, projection, settings);
    table.objects()[1].placed.owner = 1;
    rule.step(zones[0], table.objects()[1], table, seconds, events);
    see({track_at(2, 300, 300, 30), track_at(3, 500, 305, 100)}, 1); // somebody is known before passing
    expect(names(events) == "object-left", "the bag was left");
    events.clear();
  }
  // Tracks that are seen for some time.
  void see(const std::vector<Subject> &subjects, double for_seconds) {
    const double until = seconds + for_seconds;
    while (seconds < until) {
      seconds += 0.1;
      rule.rename(table.meet(subjects, seconds, projection, settings));
      table.erase_gone(seconds, settings);
      rule.watch(zones, table, seconds, events);
    }
  }
};

void removed() {
  const Subject bag = track_at(2, 300, 300, 30), passer = track_at(3, 305, 305, 100);
  const Subject gone = track_at(3, 500, 305, 100);
  Left stays;
  stays.see({passer}, 5);
  stays.see({gone}, 0.5);
  stays.see({bag, gone}, 5);
  expect(stays.events.empty(), "who stands before it does not remove it");
  stays.see({passer}, 2);
  stays.see({gone}, 0.9);
  expect(stays.events.empty(), "the place was not seen for long enough");
  stays.see({gone}, 0.5);
  expect(names(stays.events) == "object-removed" && stays.events[0].owner == 1 &&
             *stays.events[0].rule == "hall",
         "its place is seen without it");
  stays.see({passer}, 2);
  stays.see({gone}, 5);
  expect(stays.events.size() == 1, "once");

  Left other; // the passer's box goes on under the bag's number, the bag under a new one
  other.see({passer}, 1);
  const Subject walks = track_at(2, 500, 305, 100), far = track_at(3, 600, 305, 100);
  other.see({walks, far, track_at(7, 301, 300, 30)}, 3);
  expect(other.events.empty(), "the bag has another number");
  other.see({walks, passer}, 1);
  other.see({walks, far}, 2);
  expect(names(other.events) == "object-removed" && other.events[0].id == 7, "and is removed with it");

  Left alone; // its track goes away with it
  for (int n = 1; n <= 20; n++) alone.see({track_at(2, 300 + 10 * n, 300, 30)}, 0.1);
  expect(names(alone.events) == "object-removed", "it is taken along");
  Left pushed;
  for (int n = 1; n <= 20; n++) pushed.see({track_at(2, 300 + n, 300, 30)}, 0.1);
  expect(pushed.events.empty(), "it was pushed a little");

  Left background;
  background.see({}, 60);
  background.see({passer}, 3);
  background.see({}, 60);
  expect(background.events.empty(), "nobody was near when it went: it is background");
  background.see({track_at(3, 360, 300, 100)}, 0.1);
  const std::vector ghost{Ghost{bag.object.box, "motion"}};
  background.rule.step(background.zones, ghost, background.table, projection, background.seconds,
                       background.events);
  expect(names(background.events) == "object-removed" && background.events[0].owner == 3,
         "until its ghost is seen");

  Left end;
  end.see({passer}, 1);
  end.rule.forget();
  end.see({}, 5);
  expect(end.events.empty(), "nobody sees what becomes of it after the end");
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
    if (events.size() == 1) expect(events[0].owner == 1, "by the person who is near");
    const std::size_t once = events.size();
    rule.step(zones, ghost, t, projection, 8, events);
    expect(events.size() == 2 * once, "a ghost that comes after more than 3 s is another one");
    rule.forget();
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
  const std::vector<vigil::test::Case> cases = {
      {"left", left},
      {"removed", removed},
      {"ghosts", ghosts},
  };
  return vigil::test::run_cases("track left object rule", cases);
}
