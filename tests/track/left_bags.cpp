// SPDX-License-Identifier: LGPL-2.1-or-later
// Bags that are left, and people who pass in front of them: tracker and rules together, on the boxes that a
// detector of moving blobs gives, in which whatever touches is one box.
#include "kernels/rules/rule_engine.h"
#include "kernels/track/tracker.h"
#include "tests/track/objects.h"

#include <cmath>
#include <cstdio>
#include <utility>

namespace {

using namespace vigil;
using namespace vigil::rules;
using vigil::rules::test::expect;

constexpr double width = 640, height = 480;
constexpr double ground = 330;   // y on which people and bags stand
constexpr double pace = 70;      // px/s
constexpr double put_down = 1.5; // s that somebody stands who puts a bag down or takes it

// Somebody walks along at `y` from the left or the right, stops at `at` for some seconds and goes on.
struct Walker {
  double enters; // seconds
  bool to_right;
  double at, stops; // px, seconds
  double w = 44, h = 120, y = ground + 8;
  double arrives() const { return enters + std::abs(at - start()) / pace; }
  double leaves() const { return arrives() + stops; }
  double start() const { return to_right ? -w : width + w; }
  double x(double t) const {
    const double walked = std::min(t, arrives()) - enters + std::max(0., t - leaves());
    return start() + (to_right ? pace : -pace) * walked;
  }
  bool is_there(double t) const { return t >= enters && x(t) > -w && x(t) < width + w; }
};
struct Bag {
  double x, from, to; // px, seconds
  double w = 26, h = 24;
};
struct World {
  std::vector<Walker> people;
  std::vector<Bag> bags;
};

track::Box clipped(const track::Box &b) {
  const double x = std::max(b.x, 0.), y = std::max(b.y, 0.);
  return {x, y, std::min(b.x + b.width, width) - x, std::min(b.y + b.height, height) - y};
}

// What touches is one box. Its edges are off by up to a pixel.
std::vector<track::Detection> detect(const World &world, double t, int frame) {
  constexpr double touches = 3;
  std::vector<track::Box> boxes;
  for (const Walker &p : world.people)
    if (p.is_there(t)) boxes.push_back(clipped({p.x(t) - p.w / 2, p.y - p.h, p.w, p.h}));
  for (const Bag &b : world.bags)
    if (t >= b.from && t < b.to) boxes.push_back({b.x - b.w / 2, ground - b.h, b.w, b.h});
  std::erase_if(boxes, [](const track::Box &b) { return b.width < 4; });
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < boxes.size(); i++)
      for (std::size_t j = i + 1; j < boxes.size(); j++) {
        const track::Box &a = boxes[i];
        if (track::intersection({a.x - touches, a.y - touches, a.width + 2 * touches, a.height + 2 * touches},
                                boxes[j]) <= 0)
          continue;
        boxes[i] = track::hull(a, boxes[j]);
        boxes.erase(boxes.begin() + std::ptrdiff_t(j--));
        any = true;
      }
  }
  std::vector<track::Detection> found;
  int n = 0;
  for (const track::Box &b : boxes) {
    track::Detection d;
    d.box = b;
    d.box.x += (frame * 7 + n * 3) % 3 - 1;
    d.box.height += (frame * 5 + n++) % 3 - 1;
    found.push_back(d);
  }
  return found;
}

struct Posted {
  Kind kind;
  double seconds;
  Point at;
};
std::vector<Posted> play(const World &world, double fps, double to) {
  track::Params params;
  track::Tracker tracker;
  tracker.set(params);
  RuleEngine engine;
  engine.set(
      in_pixels(parse(R"({"zones":[{"name":"hall","polygon":[[0,0],[1,0],[1,1],[0,1]],"left-object":4}]})"),
                width, height));
  std::vector<Posted> posted;
  const auto take = [&](double t) {
    for (const Event &e : engine.events())
      if (e.kind == Kind::object_left || e.kind == Kind::object_removed) posted.push_back({e.kind, t, e.at});
  };
  for (int n = 0; n / fps < to; n++) {
    const double t = n / fps;
    tracker.step(detect(world, t, n), t, width, height);
    std::vector<Subject> subjects;
    for (const track::Object &o : tracker.objects()) subjects.push_back({o, "motion"});
    engine.step(subjects, t);
    take(t);
  }
  engine.finish();
  take(to);
  return posted;
}

// Each bag is reported as left once, and as removed once if it is removed.
void check(const World &world, double fps, double to, const std::string &what) {
  const std::vector<Posted> posted = play(world, fps, to);
  std::string all = what;
  for (const Posted &t : posted)
    all += std::string(", ") + name_of(t.kind) + " at " + std::to_string(t.seconds) +
           " s, x = " + std::to_string(t.at.x);
  std::size_t expected = 0;
  for (const Bag &b : world.bags) {
    const auto count = [&](Kind kind, double from, double until) {
      return std::count_if(posted.begin(), posted.end(), [&](const Posted &t) {
        return t.kind == kind && std::abs(t.at.x - b.x) < b.w && t.seconds >= from && t.seconds <= until;
      });
    };
    expected += b.to < to ? 2 : 1;
    expect(count(Kind::object_left, b.from + 4, b.from + 7) == 1,
           all + ": not left at " + std::to_string(b.x));
    if (b.to < to)
      expect(count(Kind::object_removed, b.to, b.to + 6) == 1,
             all + ": not removed at " + std::to_string(b.x));
  }
  expect(posted.size() == expected,
         all + ": " + std::to_string(posted.size()) + " events, not " + std::to_string(expected));
}

// Somebody brings a bag and puts it down at `x`; somebody takes it at `taken`, or nobody does.
void bring(World &world, double x, double enters, double taken) {
  const Walker owner{enters, true, x + 45, put_down};
  world.people.push_back(owner);
  world.bags.push_back({x, owner.leaves() - 0.3, taken});
  if (taken >= 1e6) return;
  Walker taker{0, false, x + 20, put_down};
  taker.enters = taken - put_down - std::abs(taker.at - taker.start()) / pace;
  world.people.push_back(taker);
}
// Three pass in front of x, the second one stops there for 5 s.
void pass(World &world, double x, double from) {
  world.people.push_back({from, true, x, 0});
  world.people.push_back({from + 14, false, x + 4, 5});
  world.people.push_back({from + 34, true, x, 0, 50, 130, ground + 20});
}

void bags_at(double fps) {
  constexpr double never = 1e9;
  const std::string rate = std::to_string(int(fps)) + " frames a second, ";
  World one;
  bring(one, 320, 0, 75);
  pass(one, 320, 20);
  check(one, fps, 90, rate + "one bag");

  World stays;
  bring(stays, 320, 0, never);
  pass(stays, 320, 20);
  pass(stays, 320, 80);
  check(stays, fps, 150, rate + "a bag that stays");

  World three;
  bring(three, 180, 0, 100);
  bring(three, 330, 12, 120);
  bring(three, 480, 26, never);
  pass(three, 180, 42);
  pass(three, 480, 48);
  check(three, fps, 150, rate + "three bags");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"5 frames a second", [] { bags_at(5); }},
      {"10 frames a second", [] { bags_at(10); }},
      {"25 frames a second", [] { bags_at(25); }},
  };
  return vigil::test::run_cases("track left bags", cases);
}
