// SPDX-License-Identifier: LGPL-2.1-or-later
// zone_rule.h and crowd_rule.h: stays in one zone.
#include "kernels/rules/zone_rule.h"
#include "tests/track/objects.h"

namespace {

using namespace vigil;
using namespace vigil::rules;
using namespace vigil::rules::test;

const Settings settings; // 8 px, 0.1 s

Zone room() {
  Zone z;
  z.name = "room";
  z.polygon = {{100, 100}, {300, 100}, {300, 300}, {100, 300}};
  return z;
}

// One object, a frame each 0.1 s; the names of what is reported.
std::string play(ZoneRule &rule, const std::vector<double> &xs, double from = 0, double speed = 0) {
  std::vector<Event> events;
  for (std::size_t n = 0; n < xs.size(); n++) {
    TrackedObject o = object_at(1, {xs[n], 200});
    o.velocity.speed = speed;
    rule.step(o, from + double(n) * 0.125, settings, events);
  }
  return names(events);
}

void stays() {
  ZoneRule rule(room());
  expect(play(rule, {50, 96, 104}).empty(), "nearer than the hysteresis is not inside");
  expect(play(rule, {150}, 1).empty(), "nor is one that has not settled");
  expect(play(rule, {150}, 1.125) == "zone-enter" && rule.count().inside == 1, "and then it has entered");
  expect(play(rule, {50, 150, 150}, 2).empty(), "one frame outside is no leaving");
  expect(play(rule, {50, 50}, 3) == "zone-leave" && rule.count().left == 1, "and two are");
  ZoneRule near_border(room());
  expect(play(near_border, {104, 104}) == "zone-enter", "a new object counts nearer to the border as well");
}

void once_in_a_stay() {
  Zone z = room();
  z.loitering = 1;
  z.max_speed = 10;
  ZoneRule rule(z);
  const std::vector<double> long_stay(20, 150.);
  expect(play(rule, long_stay, 0, 5) == "zone-enter loitering", "loitering is reported once");
  expect(play(rule, long_stay, 3, 20) == "speed", "and so is speed");
  std::vector<Event> events;
  rule.end_stay(object_at(1, {150, 200}), 6, events);
  expect(names(events) == "zone-leave" && events[0].seconds == 6 && rule.count().inside == 0,
         "a stay ends with its object");
}

void filters_and_numbers() {
  Zone z = room();
  z.filter.classes = {"car"};
  ZoneRule cars(z);
  expect(play(cars, {150, 150, 150}).empty(), "other classes do not count");
  ZoneRule rule(room());
  play(rule, {150, 150});
  rule.rename(std::vector{Rename{1, 7}});
  std::vector<Event> events;
  rule.end_stay(object_at(7, {150, 200}), 1, events);
  expect(events.size() == 1 && events[0].id == 7 && events[0].entered_id == 1,
         "a stay goes on under a new number");
  ZoneRule forgetful(room());
  play(forgetful, {150, 150});
  forgetful.forget([](std::uint64_t id) { return id == 1; });
  events.clear();
  forgetful.end_stay(object_at(1, {150, 200}), 1, events);
  expect(events.empty(), "what is forgotten does not leave");
}

void counts() {
  ZoneRule rule(room());
  std::vector<Event> events;
  for (const double seconds : {0., 0.2}) {
    events.clear();
    rule.step(object_at(1, {150, 200}), seconds, settings, events);
    rule.end_frame(seconds, events);
  }
  expect(names(events) == "zone-enter zone-count" && events[1].count == 1,
         "the count after a frame with a change");
  events.clear();
  rule.end_frame(0.3, events);
  expect(events.empty(), "and not after one without");
}

void crowds() {
  Zone z = room();
  z.crowd_count = 3;
  z.crowd_seconds = 2;
  CrowdRule rule;
  expect(!rule.step(z, 3, 0) && !rule.step(z, 3, 1.9), "not before its seconds are over");
  expect(!rule.step(z, 2, 1.95) && !rule.step(z, 3, 2), "nor when it was interrupted");
  const auto begin = rule.step(z, 4, 4);
  expect(begin && begin->kind == Kind::crowd_begin && begin->count == 4, "a crowd begins");
  expect(!rule.step(z, 5, 9), "once");
  rule.step(z, 2, 10);
  const auto end = rule.step(z, 2, 12);
  expect(end && end->kind == Kind::crowd_end, "and ends");
  CrowdRule off;
  expect(!off.step(room(), 99, 0) && !off.step(room(), 99, 99), "without a count there is none");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"stays", stays},
      {"once in a stay", once_in_a_stay},
      {"filters and numbers", filters_and_numbers},
      {"counts", counts},
      {"crowds", crowds},
  };
  return vigil::test::run_cases("track zone rule", cases);
}
