// SPDX-License-Identifier: LGPL-2.1-or-later
// The tracker on scenes made of numbers: which object keeps its number through which events, at several frame
// rates, and what bad input does.
#include "kernels/track/tracker.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

namespace {

using namespace vigil::track;
using vigil::test::expect;

using Boxes = std::vector<Detection>;
// What there is to see at a time.
using Scene = std::function<Boxes(double)>;

Detection at(double x, double y, double w = 30, double h = 60) {
  Detection d;
  d.box = {x - w / 2, y - h / 2, w, h};
  return d;
}

Tracker play(const Scene &scene, double fps, double from, double to, Tracker t = {}) {
  for (int n = 0; from + n / fps <= to; n++) t.step(scene(from + n / fps), from + n / fps, 640, 480);
  return t;
}

std::uint64_t id_near(const Tracker &t, double x) {
  std::uint64_t id = 0;
  double least = 1e9;
  for (const Object &o : t.objects())
    if (const double off = std::abs(o.box.x + o.box.width / 2 - x); off < least) {
      least = off;
      id = o.id;
    }
  return id;
}

// Two walk towards each other, are one box while they pass, and part again.
void two_meet(double fps, bool turn_round) {
  const Scene scene = [=](double t) {
    const double a = 100 + 50 * t; // meet at 4 s at x = 300
    double b = 500 - 50 * t;
    if (turn_round && t > 4) b = 500 - 50 * (8 - t); // then both came from where they go to
    const double a2 = turn_round && t > 4 ? 100 + 50 * (8 - t) : a;
    Detection da = at(a2, 240, 30, 60), db = at(b, 240, 34, 70);
    da.has_colour = db.has_colour = true;
    da.colour = {200, 30, 30};
    db.colour = {30, 30, 200};
    if (std::abs(a2 - b) > 32) return Boxes{da, db};
    Detection both;
    both.box = hull(da.box, db.box);
    return Boxes{both};
  };
  const std::string what = std::to_string(fps) + " frames a second" + (turn_round ? ", they turn round" : "");
  Tracker t = play(scene, fps, 0, 3);
  const std::uint64_t a = id_near(t, 250), b = id_near(t, 350);
  expect(a && b && a != b, "two tracks before they meet at " + what);
  t = play(scene, fps, 3 + 1 / fps, 4, t);
  expect(t.objects().size() == 2, "two tracks while they are one box at " + what);
  for (const Object &o : t.objects())
    // At 3 frames a second they are only seen as one where one hides the other.
    expect(fps < 5 || (o.state == State::grouped && o.group == std::min(a, b)),
           "both are in one group at " + what);
  t = play(scene, fps, 4 + 1 / fps, 7, t);
  expect(t.objects().size() == 2, "two tracks after they parted at " + what);
  const double at_a = turn_round ? 100 + 50 : 100 + 50 * 7;
  const double at_b = turn_round ? 500 - 50 : 500 - 50 * 7;
  expect(id_near(t, at_a) == a && id_near(t, at_b) == b, "each has its number after they parted at " + what);
}

void rates() {
  for (const double fps : {30., 15., 7., 3.})
    for (const bool turn : {false, true})
      if (!turn || fps > 5) two_meet(fps, turn); // between two frames nobody can be seen to turn round
}

void two_filters_agree() {
  Coordinate once, twice;
  once.v = twice.v = 3;
  once.vv = twice.vv = 2;
  once.predict(0.4, 5);
  for (int i = 0; i < 4; i++) twice.predict(0.1, 5);
  expect(std::abs(once.p - twice.p) < 1e-12 && std::abs(once.pp - twice.pp) < 1e-12 &&
             std::abs(once.pv - twice.pv) < 1e-12 && std::abs(once.vv - twice.vv) < 1e-12,
         "a prediction over four short times is that over one long");
}

// Hidden for a second, then back: one number. For three: another.
void hidden(double gap, bool same) {
  const Scene scene = [=](double t) { return t > 2 && t < 2 + gap ? Boxes{} : Boxes{at(100 + 40 * t, 240)}; };
  Tracker t = play(scene, 10, 0, 1.9);
  const std::uint64_t before = id_near(t, 180);
  t = play(scene, 10, 2, 2 + gap + 1, t);
  expect(before && t.objects().size() == 1, "one track after " + std::to_string(gap) + " s hidden");
  expect((id_near(t, 0) == before) == same, "the number after " + std::to_string(gap) + " s hidden");
}

void standing_waits() {
  const Scene scene = [](double t) { return t > 5 && t < 25 ? Boxes{} : Boxes{at(300, 240)}; };
  Tracker t = play(scene, 10, 0, 20);
  expect(t.objects().size() == 1 && t.objects()[0].stationary && t.objects()[0].state == State::predicted,
         "who stands is waited for");
  const std::uint64_t id = t.objects().empty() ? 0 : t.objects()[0].id;
  t = play(scene, 10, 20.1, 27, t);
  expect(t.objects().size() == 1 && t.objects()[0].id == id, "and has its number when it is seen again");
}

void parts_are_mended() {
  const Scene scene = [](double t) {
    const double x = 100 + 30 * t;
    if (std::fmod(t, 0.3) < 0.15 || t < 1) return Boxes{at(x, 240, 30, 80)};
    return Boxes{at(x, 215, 28, 30), at(x, 265, 24, 30)};
  };
  const Tracker t = play(scene, 20, 0, 6);
  expect(t.objects().size() == 1 && t.objects()[0].id == 1, "a body in two parts is one track");
}

// Two cars come as one box from far away, and part as they come nearer: two tracks. A body whose parts are
// seen now and then, or while it is behind a post, is one (above, and below).
void two_that_came_as_one() {
  const Scene scene = [](double t) {
    const double y = 60 + 40 * t, apart = 4 * t; // pixels
    if (t < 2) return Boxes{at(300, y, 40, 60)};
    return Boxes{at(300, y - 15 - apart / 2, 36, 30), at(300, y + 15 + apart / 2, 44, 34)};
  };
  for (const double fps : {25., 7.}) {
    const std::string rate = " at " + std::to_string(fps) + " frames a second";
    Tracker t = play(scene, fps, 0, 2);
    expect(t.objects().size() == 1, "two in one box are one track" + rate);
    t = play(scene, fps, 2 + 1 / fps, 6, t);
    expect(t.objects().size() == 2, "and two when they have parted" + rate);
    for (const Object &o : t.objects())
      expect(o.state == State::tracked && o.box.height < 35, "each with its own box" + rate);
  }
}

// Cars of two lanes come as one box, and their masks part, but touch again in every sixth frame. Neither
// moves by its own size.
void lanes_part() {
  const auto frame = [](double t, bool touch) {
    const double y = 200 + 10 * t;
    const Detection near = at(250, y + 45, 68, 53), far = at(312, y - 15, 50, 47);
    if (t >= 2 && !touch) return Boxes{near, far};
    Detection both;
    both.box = hull(near.box, far.box);
    return Boxes{both};
  };
  for (const double fps : {25., 10., 7.}) {
    const std::string rate = " at " + std::to_string(fps) + " frames a second";
    Tracker t;
    for (int n = 0; n / fps <= 3.5; n++) t.step(frame(n / fps, n % 6 == 5), n / fps, 640, 480);
    expect(t.objects().size() == 2, "cars of two lanes are two when they have parted" + rate);
    expect(id_near(t, 250) == 1 && id_near(t, 312) > 1, "and the larger one keeps the number" + rate);
  }
}

// A car comes in over the border where somebody leaves: one box at first, and parts that move away from each
// other. A person is small there, and less is seen of a person further out.
void one_comes_as_another_leaves() {
  const auto edges = [](double left, double right, double y, double height) {
    right = std::min(right, 640.);
    return at((left + right) / 2, y, right - left, height);
  };
  const Scene scene = [&](double t) {
    const double left = 640 - 220 * std::max(0., t - 1), leaving = 600 + 10 * t;
    const Detection walker = edges(leaving, 640, 250, 60);
    if (t <= 1.05) return Boxes{walker};
    const Detection car = edges(left, left + 130, 230, 60);
    if (left + 130 < leaving) return Boxes{car, walker};
    Detection both;
    both.box = hull(car.box, walker.box);
    return Boxes{both};
  };
  // Parts of somebody whose middle fades lie further from each other, but the person is not taller; and parts
  // of somebody who comes nearer span more, but their distance stays.
  const auto in_parts = [](double x, double height, double space) {
    const double part = (height - space) / 2;
    return Boxes{at(x, 240 - (space + part) / 2, height * 3 / 8, part),
                 at(x, 240 + (space + part) / 2, height * 3 / 8, part)};
  };
  const Scene fading = [&](double t) {
    if (t < 1.2) return Boxes{at(100 + 5 * t, 240, 30, 80)};
    return in_parts(100 + 5 * t, 80, std::min(38., 30 * (t - 1)));
  };
  const Scene nearer = [&](double t) {
    if (t < 1.2) return Boxes{at(100 + 5 * t, 240, 30, 80)};
    return in_parts(100 + 5 * t, 80 + 8 * (t - 1.2), 20);
  };
  for (const double fps : {25., 10.}) {
    const std::string rate = " at " + std::to_string(fps) + " frames a second";
    Tracker t = play(scene, fps, 0, 2.4);
    const std::uint64_t car = id_near(t, 397);
    expect(car > 0, "a car that comes in has a track" + rate);
    for (const Object &o : t.objects())
      if (o.id == car)
        expect(o.state == State::tracked && o.box.width < 140 && o.box.x + o.box.width < 500,
               "and a box that does not reach to where another left" + rate);
    t = play(nearer, fps, 0, 3.2);
    expect(t.objects().size() == 1, "somebody who comes nearer in two parts is one track" + rate);
    t = play(fading, fps, 0, 3);
    expect(t.objects().size() == 1, "somebody whose middle fades is one track" + rate);
  }
}

// Two cars have become one box when, next to it, a car comes out of another box that two came in as: it is
// none of the first two.
void not_out_of_this_group() {
  const Scene scene = [](double t) {
    const double y = 200 + 40 * t;
    const Detection a = at(190, y + 10, 34, 29), b = at(218, y - 20, 23, 26);
    const Detection c = at(240, y + 12, 36, 32), d = at(249, y - 25, 30, 37);
    const auto one = [](const Detection &p, const Detection &q) {
      Detection both;
      both.box = hull(p.box, q.box);
      return both;
    };
    if (t < 2) return Boxes{a, b, one(c, d)};
    if (t < 2.1) return Boxes{one(a, b), one(c, d)};
    return Boxes{one(a, b), c, d};
  };
  const Tracker before = play(scene, 25, 0, 2);
  const std::uint64_t member = id_near(before, 190);
  const Tracker t = play(scene, 25, 0, 2.3);
  for (const Object &o : t.objects())
    if (o.id == member)
      expect(o.box.x < 205, "a member of a group stays in it: at " + std::to_string(o.box.x));
}

// Somebody puts a bag down, which is in the same box until the person has walked away from it: the number is
// the person's.
void bag_is_left() {
  const Scene scene = [](double t) {
    const double x = t < 3 ? 100 + 60 * t : t < 5 ? 280 : 280 + 60 * (t - 5);
    const Detection person = at(x, 240, 22, 70), bag = at(300, 275, 60, 30);
    if (t < 4) return Boxes{person};
    if (intersection(person.box, bag.box) <= 0) return Boxes{person, bag};
    Detection both;
    both.box = hull(person.box, bag.box);
    return Boxes{both};
  };
  for (const double fps : {25., 15., 10., 7., 5.}) {
    const Tracker t = play(scene, fps, 0, 7);
    const std::string rate = " at " + std::to_string(fps) + " frames a second";
    expect(t.objects().size() == 2, "a person and a bag" + rate);
    expect(id_near(t, 400) == 1 && id_near(t, 300) == 2, "and the number stays with who walks" + rate);
  }
}

// Behind a sign that hides all but the legs, for a second: the box stays that of the whole body.
void half_hidden() {
  const Scene scene = [](double t) {
    const double x = 100 + 30 * t;
    return t > 3 && t < 4 ? Boxes{at(x, 270, 12, 20)} : Boxes{at(x, 240, 30, 80)};
  };
  for (const double fps : {25., 7.}) {
    Tracker t = play(scene, fps, 0, 3);
    for (int n = 1; n < fps; n++) {
      const double now = 3 + n / fps;
      t.step(scene(now), now, 640, 480);
      expect(t.objects().size() == 1, "one track while it is half hidden");
      if (t.objects().empty()) return;
      const Object &o = t.objects()[0];
      expect(o.id == 1 && o.state == State::tracked && iou(o.box, at(100 + 30 * now, 240, 30, 80).box) > 0.6,
             "the whole body's box while it is half hidden, IoU " +
                 std::to_string(iou(o.box, at(100 + 30 * now, 240, 30, 80).box)));
    }
    t = play(scene, fps, 4, 5, t);
    expect(id_near(t, 250) == 1, "and its number after that");
  }
}

// The blob of two who walk side by side, and never part: columns of pixels at both sides, few in the middle.
Detection side_by_side(double x) {
  Detection d = at(x, 240, 42, 64);
  d.spread.xx = 0.075 * 42 * 42;
  d.spread.yy = 0.056 * 64 * 64;
  return d;
}

void pairs_become_two() {
  const auto walk = [](double t) { return Boxes{side_by_side(100 + 30 * t)}; };
  for (const double fps : {25., 7.}) {
    const std::string rate = " at " + std::to_string(fps) + " frames a second";
    const Tracker t = play(walk, fps, 0, 5);
    const auto two = t.objects();
    expect(two.size() == 2, "two side by side are two tracks" + rate);
    if (two.size() != 2) continue;
    expect(two[0].state == State::grouped && two[1].state == State::grouped, "of one group" + rate);
    expect(std::abs(two[0].box.x + two[0].box.width / 2 - 239.5) < 4 &&
               std::abs(two[1].box.x + two[1].box.width / 2 - 260.5) < 4,
           "one at each side of the box" + rate);
  }
  // They part, and each has its number again.
  const auto part = [&](double t) {
    if (t < 3) return walk(t);
    const double x = 100 + 30 * t;
    return Boxes{at(x - 10 - 30 * (t - 3), 240, 21, 64), at(x + 10 + 30 * (t - 3), 240, 21, 64)};
  };
  const Tracker t = play(part, 10, 0, 5);
  expect(t.objects().size() == 2 && id_near(t, 180) == 1 && id_near(t, 320) == 2,
         "both have their numbers when they part");
  const auto one_of = [](double w, double h, double across, double down) {
    return [=](double s) {
      Detection d = at(100 + 30 * s, 240, w, h);
      d.spread = {across * w * w, down * h * h};
      return Boxes{d};
    };
  };
  expect(play(one_of(30, 64, 0.047, 0.06), 10, 0, 9).objects().size() == 1, "one person is one track");
  expect(play(one_of(50, 60, 1 / 12., 1 / 12.), 10, 0, 9).objects().size() == 1, "so is a box on wheels");
  expect(play(one_of(90, 50, 0.08, 0.07), 10, 0, 9).objects().size() == 1, "and a car seen from its side");
  const auto cut_off = [](double s) { // the same two, whose legs the lower border cuts off
    Detection d = side_by_side(100 + 30 * s);
    d.box.y = 480 - d.box.height;
    return Boxes{d};
  };
  expect(play(cut_off, 10, 0, 5).objects().size() == 1,
         "what the lower border cuts off has a shape that says nothing");
  const auto torso = [](double s) {
    Detection d = at(100 + 30 * s, 240, 10, 15);
    d.spread = {0.083 * 10 * 10, 0.06 * 15 * 15};
    return Boxes{d};
  };
  expect(play(torso, 10, 0, 9).objects().size() == 1, "so are a few pixels, whose shape is chance");
  Tracker off;
  Params p;
  p.pairs = false;
  off.set(p);
  expect(play(walk, 10, 0, 9, off).objects().size() == 1, "without pairs all are one");
}

// A car that comes in goes past a person who walks, and takes nobody along.
void passed_by_a_car() {
  const auto walker = [](double t) { return at(540 + 12 * t, 230, 12, 30); };
  const auto car = [](double t) { return at(795 - 200 * t, 240, 110, 50); };
  const Scene scene = [&](double t) {
    const Detection w = walker(t);
    Detection c = car(t);
    c.box.width = std::min(c.box.width, 640 - c.box.x);
    if (c.box.width < 8) return Boxes{w};
    if (intersection(w.box, c.box) == 0) return Boxes{w, c};
    Detection both;
    both.box = hull(w.box, c.box);
    return Boxes{both};
  };
  Tracker t = play(scene, 15, 0, 1);
  const std::uint64_t walks = id_near(t, 552);
  double fastest = 0;
  for (int n = 16; n < 75; n++) {
    t.step(scene(n / 15.), n / 15., 640, 480);
    for (const Object &o : t.objects())
      if (o.id == walks) fastest = std::max(fastest, std::abs(o.vx));
  }
  expect(fastest < 40, "who is passed by a car is never as fast as that: " + std::to_string(fastest));
  expect(walks && id_near(t, 600) == walks, "and the person has the same number when it has gone");
}

// Of a car that enters or leaves only the free edge moves as fast as the car.
void cut_by_the_border() {
  for (const bool entering : {true, false}) {
    const Scene scene = [&](double t) {
      Detection d = at(entering ? -60 + 240 * t : 500 + 240 * t, 240, 120, 50);
      const double left = std::max(0., d.box.x), right = std::min(640., d.box.x + d.box.width);
      d.box.x = left;
      d.box.width = right - left;
      return d.box.width > 8 ? Boxes{d} : Boxes{};
    };
    const Tracker t = play(scene, 15, 0, entering ? 0.45 : 0.7);
    expect(t.objects().size() == 1, "a car at the border is one track");
    if (t.objects().size() != 1) continue;
    const double speed = t.objects()[0].vx;
    expect(std::abs(speed - 240) < 48, std::string("a car that ") + (entering ? "enters" : "leaves") +
                                           " is as fast as in the picture: " + std::to_string(speed));
  }
}

// A person who comes in behind another one has an own box when that is gone. The way from the border is known
// then; that of a part, of somebody who goes along, and of what comes out of nothing is not.
void came_hidden() {
  const auto came = [](const Scene &scene, double x) {
    const Tracker t = play(scene, 10, 0, 6);
    const std::uint64_t id = id_near(t, x);
    for (const Object &o : t.objects())
      if (o.id == id) return o.came_x;
    return HUGE_VAL;
  };
  // One drives out to the left, the other in from there, behind the first.
  const Scene hidden = [](double t) {
    const auto cut = [](const Detection &d) {
      const double left = std::max(d.box.x, 0.);
      Detection c = d;
      c.box.width -= left - c.box.x;
      c.box.x = left;
      return c;
    };
    const Detection front = cut(at(500 - 100 * t, 240, 200, 90)),
                    behind = cut(at(150 * (t - 4) - 30, 240, 60, 50));
    if (behind.box.width <= 0) return Boxes{front};
    if (front.box.width <= 0) return Boxes{behind};
    if (intersection(front.box, behind.box) == 0) return Boxes{front, behind};
    Detection both;
    both.box = hull(front.box, behind.box);
    return Boxes{both};
  };
  const double way = came(hidden, 150 * (6 - 4) - 30);
  expect(way < -110 && way > -250, "it came " + std::to_string(way) + " pixels");
  const Scene nothing = [](double t) { return t < 3 ? Boxes{} : Boxes{at(-60 + 120 * t, 240, 60, 50)}; };
  // It is confirmed in the first frame that is 0.25 s after the one in which it was found.
  const double found = came(nothing, -60 + 120 * 6);
  expect(std::abs(found + 120 * 0.3) < 12,
         "what comes out of nothing came from where it was found: " + std::to_string(found));
  // A lorry loses its trailer's box at 3 s: both go on as they went.
  const Scene part = [](double t) {
    const Detection front = at(-100 + 120 * t, 240, 120, 60), behind = at(-190 + 120 * t, 240, 60, 50);
    Detection both;
    both.box = hull(front.box, behind.box);
    return t < 3 ? Boxes{both} : Boxes{front, behind};
  };
  expect(came(part, -190 + 120 * 6) == 0, "a part of a track has no way of its own");
  // After a gap nobody knows who was where: a box that was there 9 s ago hides nobody.
  Tracker t;
  t.step(Boxes{at(320, 240, 640, 90)}, 0, 640, 480);
  for (int n = 0; n < 10; n++) t.step(Boxes{at(300 + 12 * n, 240, 60, 50)}, 9 + n / 10., 640, 480);
  for (const Object &o : t.objects()) expect(std::abs(o.came_x) < 40, "a way over a gap");
}

// A car comes out of hiding with somebody before it, whose track is in its box alone: it is a track of its
// own, and the person keeps the size.
void car_behind_a_walker() {
  const auto car_at = [](double t) { return 560 - 200 * t; };
  const Scene scene = [=](double t) {
    const Detection walker = at(300 - 10 * t, 240, 20, 60), car = at(car_at(t), 220, 200, 100);
    if (t < 1) return Boxes{walker};
    Detection both = car;
    both.box = hull(walker.box, car.box);
    return intersection(walker.box, car.box) > 0 ? Boxes{both} : Boxes{walker, car};
  };
  // At 1 s the car is seen from x = 260 to 460, over the walker; they part at 2 s.
  Tracker t = play(scene, 10, 0, 1.5);
  expect(t.objects().size() == 2, "the car is a track, too");
  for (const Object &o : t.objects())
    if (o.id == 1) expect(o.box.width < 40, "a person before a car keeps the size");
  t = play(scene, 10, 1.6, 2.4, t);
  expect(t.objects().size() == 2, "two tracks when they have parted");
  expect(id_near(t, 300 - 24) == 1 && id_near(t, car_at(2.4)) == 2,
         "each has its number when they have parted");
}

// Half of a car is seen to come in; what is hidden then is no larger than what was seen.
void hidden_while_it_came_in() {
  const Scene scene = [](double t) {
    Detection d;
    d.box = {640 - 100 * t, 200, 100 * t, 60};
    return t < 0.55 && t > 0.05 ? Boxes{d} : Boxes{};
  };
  Tracker t = play(scene, 10, 0, 2);
  expect(t.objects().size() == 1 && t.objects()[0].box.width < 70, "who is hidden does not grow");
}

void flicker_is_no_track() {
  std::mt19937_64 random(3);
  Tracker t;
  std::size_t most = 0;
  for (int n = 0; n < 500; n++) {
    Boxes b;
    if (random() % 8 == 0) b.push_back(at(double(random() % 640), double(random() % 480), 20, 20));
    t.step(b, n / 25., 640, 480);
    most = std::max(most, t.objects().size());
  }
  expect(most == 0, "boxes here and there are no tracks");
}

void bad_input() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  Tracker t;
  Boxes bad = {at(10, 10, 0, 5), at(10, 10, -3, 5), at(nan, 4), at(inf, 4), at(5, 5, inf, 5), at(1e300, 0)};
  t.step(bad, 0, 640, 480);
  expect(t.passed_over() == bad.size(), "boxes without size or numbers are passed over");
  Boxes many;
  std::mt19937_64 random(5);
  for (int i = 0; i < 5000; i++)
    many.push_back(at(double(random() % 640), double(random() % 480), 5 + i % 7, 9));
  for (int n = 0; n < 5; n++) t.step(many, n / 10., 640, 480);
  expect(t.objects().size() <= most_boxes && t.passed_over() == many.size() - most_boxes,
         "thousands of boxes");
  t.step({}, 3600 * 5, 640, 480);
  expect(t.objects().empty() && !t.ended().empty(), "a gap of hours ends all tracks");
  Tracker late = play([](double) { return Boxes{at(300, 240)}; }, 10, 0, 2);
  late.step(Boxes{at(300, 240)}, 3600 * 5, 640, 480);
  expect(late.objects().empty() && late.ended().size() == 1, "also when a box is there after it");
  late = play([](double s) { return Boxes{at(300 + s, 240)}; }, 0.2, 0, 60);
  expect(late.objects().size() == 1 && late.objects()[0].id == 1, "frames every 5 s are no gap");
  t.step(many, nan, 640, 480);
  for (int n = 0; n < 5; n++) t.step(many, 20000 + n / 10., 640, 480);
  const std::size_t alive = t.objects().size();
  t.step({}, 1, 640, 480);
  expect(alive > 0 && t.objects().empty(), "time that goes back ends all tracks");
  for (int n = 0; n < 3; n++) t.step(Boxes{many[0]}, 1, 0, 0); // no time goes by
  expect(t.objects().empty(), "no track without time");
  t.step(Boxes{at(-50, -50)}, 2, 640, 480);
  for (int n = 0; n < 9; n++) t.step(Boxes{at(-50, -50)}, 2 + n / 10., 640, 480);
  expect(t.objects().size() == 1, "boxes outside of the picture are boxes");
}

void same_again() {
  const auto run = [] {
    std::mt19937_64 random(9);
    Tracker t;
    std::string log;
    for (int n = 0; n < 300; n++) {
      Boxes b;
      for (int i = 0; i < 20; i++)
        if (random() % 10)
          b.push_back(
              at(std::fmod(40. * i + n, 640.), 100 + 15 * (i % 5) + double(random() % 5), 20 + i % 4, 40));
      t.step(b, n / 15., 640, 480);
      for (const Object &o : t.objects())
        log += std::to_string(o.id) + ' ' + std::to_string(o.box.x) + ' ' + std::to_string(o.vy) + ';';
    }
    return log;
  };
  expect(run() == run(), "the same boxes give the same tracks");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"two filters agree", two_filters_agree},
      {"rates", rates},
      {"hidden(1, true)", [&] { hidden(1, true); }},
      {"hidden(4, false)", [&] { hidden(4, false); }},
      {"standing waits", standing_waits},
      {"parts are mended", parts_are_mended},
      {"two that came as one", two_that_came_as_one},
      {"lanes part", lanes_part},
      {"one comes as another leaves", one_comes_as_another_leaves},
      {"not out of this group", not_out_of_this_group},
      {"bag is left", bag_is_left},
      {"half hidden", half_hidden},
      {"pairs become two", pairs_become_two},
      {"passed by a car", passed_by_a_car},
      {"cut by the border", cut_by_the_border},
      {"came hidden", came_hidden},
      {"car behind a walker", car_behind_a_walker},
      {"hidden while it came in", hidden_while_it_came_in},
      {"flicker is no track", flicker_is_no_track},
      {"bad input", bad_input},
      {"same again", same_again},
  };
  return vigil::test::run_cases("track tracker", cases);
}
