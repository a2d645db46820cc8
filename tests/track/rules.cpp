// SPDX-License-Identifier: LGPL-2.1-or-later
// Rules as text, and what is reported of objects that walk by numbers.
#include "common/error.h"
#include "kernels/rules/rule_engine.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <utility>

namespace {

using namespace vigil;
using namespace vigil::rules;
using vigil::test::expect;

constexpr double width = 640, height = 480;

// An object with its lower edge's middle at (x, y).
Subject at(std::uint64_t id, double x, double y, double tall = 60,
           track::State state = track::State::tracked) {
  Subject s;
  s.object.id = id;
  s.object.box = {x - tall / 4, y - tall, tall / 2, tall};
  s.object.state = state;
  s.type = "person";
  return s;
}

using Scene = std::function<std::vector<Subject>(double)>;

struct Reported {
  std::vector<std::string> names; // in order, without zone-count
  std::vector<Event> events;
  std::vector<double> times;
  int count(const std::string &name) const { return int(std::count(names.begin(), names.end(), name)); }
};

Reported play(RuleEngine &w, const Scene &scene, double from, double to, double fps = 10) {
  Reported reported;
  for (int n = 0; from + n / fps <= to; n++) {
    w.step(scene(from + n / fps), from + n / fps);
    for (const Event &e : w.events())
      if (e.kind != Kind::zone_count) {
        reported.names.emplace_back(name_of(e.kind));
        reported.events.push_back(e);
        reported.times.push_back(from + n / fps);
      }
  }
  return reported;
}
RuleEngine engine(const std::string &text) {
  RuleEngine w;
  w.set(in_pixels(parse(text), width, height));
  return w;
}
const std::string gate = R"({"lines":[{"name":"gate","points":[[0.5,0],[0.5,1]],"wrong-way":"backward"}]})";
const std::string room =
    R"({"zones":[{"name":"room","polygon":[[0.25,0.25],[0.75,0.25],[0.75,0.75],[0.25,0.75]],
  "loitering":5,"crowd":{"count":2,"seconds":1}}]})";

void refused(const std::string &text, const std::string &says) {
  try {
    parse(text);
  } catch (const Error &e) {
    expect(std::string(e.what()).find(says) != std::string::npos, text + " says: " + e.what());
    expect(e.kind() == Error::Kind::bad_setting, "the kind of " + text);
    return;
  }
  expect(false, text + " is taken");
}

void texts() {
  expect(parse("").zones.empty() && parse(" \n").lines.empty(), "no text, no rules");
  for (const std::string &t : {gate, room}) expect(parse(to_text(parse(t))) == parse(t), "to text and back");
  refused("{\n\"zones\": [}", "line 2, column 11");
  refused("[]", "not an object");
  refused(R"({"zone":[]})", "\"zone\", which is not known");
  refused(R"({"zones":[{"name":"a","polygon":[[0,0],[1,1]]}]})", "2 points");
  refused(R"({"zones":[{"name":"a","polygon":[[0,0],[1,1],[1,0],[0,1]]}]})", "crosses itself");
  refused(R"({"zones":[{"name":"a","polygon":[[0,0],[1,1],[0.5,0.5]]}]})", "no area");
  refused(R"({"zones":[{"name":"a","polygon":[[2,2],[3,2],[3,3]]}]})", "outside of the picture");
  refused(R"({"zones":[{"name":"a","polygon":[[0,0],[1,0],["x",1]]}]})", "not [x, y]");
  refused(R"({"zones":[{"polygon":[[0,0],[1,0],[1,1]]}]})", "no name");
  refused(R"({"zones":[{"name":"a","polygon":[[0,0],[1,0],[1,1]],"loitering":-1}]})", "loitering is -1");
  refused(R"({"lines":[{"name":"a","points":[[0,0],[0,0]]}]})", "the same");
  refused(R"({"lines":[{"name":"a","points":[[0,0],[0,1]],"wrong-way":"up"}]})", "forward");
  refused(R"({"lines":[{"name":"a","points":[[0,0],[0,1]]},{"name":"a","points":[[0,0],[0,1]]}]})", "twice");
  refused(R"({"lines":[{"name":"a","points":[[0,0],[0,1e99]]}]})", "further than");
  refused(R"({"units":"miles"})", "normalised or pixels");
  refused(std::string(100000, '['), "nested");
  refused(R"({"ground":{"picture":[[0,0],[1,1],[2,2],[0,1]],"metres":[[0,0],[1,0],[1,1],[0,1]]}})",
          "lie on a line");
}

Scene walk(double speed, double from = 0, double y = 240) {
  return [=](double t) { return std::vector{at(1, from + speed * t, y)}; };
}

void lines() {
  {
    RuleEngine w = engine(gate); // top to bottom: forward goes to its right hand, the left of the picture
    const Reported out = play(w, walk(60), 0, 10);
    expect(out.names == std::vector<std::string>{"line-cross", "wrong-way"},
           "left to right: one crossing, backward");
    expect(w.total(0).backward == 1 && w.total(0).forward == 0, "totals");
    const Reported back = play(
        w, [](double t) { return std::vector{at(1, 600 - 60 * (t - 10), 240)}; }, 10.1, 19);
    expect(back.names == std::vector<std::string>{"line-cross"} && w.total(0).forward == 1,
           "and back: forward");
  }
  for (const double came : {0., -150.}) { // begins beyond the line, to which it came hidden
    RuleEngine w = engine(gate);
    const Reported t = play(
        w,
        [=](double s) {
          std::vector<Subject> all = walk(60, 400)(s);
          if (s > 0.25) all[0].object.came_x = came;
          return all;
        },
        0, 3);
    expect(t.count("line-cross") == (came < 0) && w.total(0).backward == (came < 0),
           "the line on its hidden way counts once");
  }
  for (const double fps : {30., 7., 3.}) {
    RuleEngine w = engine(gate); // stops exactly on the line at each place of each kind
    const Reported t = play(
        w,
        [](double s) {
          return std::vector{at(1, s < 4 ? 80 * s : s < 8 ? 320 : 320 + 80 * (s - 8), 240)};
        },
        0, 11, fps);
    expect(t.count("line-cross") == 1, "a stop exactly on the line counts once");
  }
  {
    RuleEngine w = engine(gate);
    std::mt19937_64 random(1);
    const Reported t = play(
        w,
        [&](double s) { return std::vector{at(1, std::min(60 * s, 320.) + double(random() % 13) - 6, 240)}; },
        0, 60);
    expect(t.count("line-cross") == 0, "who jitters on the line has not crossed");
    const Reported u = play(w, walk(60, 320 - 60 * 60), 60.1, 65);
    expect(u.count("line-cross") == 1, "and counts once when the object goes on");
  }
  {
    RuleEngine w = engine(gate); // the number changes at the line
    const Reported t = play(
        w, [](double s) { return std::vector{at(s < 5.3 ? 1 : 2, 60 * s, 240)}; }, 0, 10);
    expect(t.count("line-cross") == 1, "a change of the number at the line counts once");
  }
  {
    RuleEngine w = engine(gate); // hidden while it crosses; predictions go astray
    const Reported t = play(
        w,
        [](double s) {
          return std::vector{s > 4 && s < 6 ? at(1, 200, 240, 60, track::State::predicted)
                                            : at(1, 60 * s, 240)};
        },
        0, 10);
    expect(t.count("line-cross") == 1, "a crossing behind something counts once");
  }
  {
    RuleEngine w = engine(R"({"lines":[{"name":"short","points":[[0.5,0.8],[0.5,1]]},
                      {"name":"bent","points":[[0.5,0],[0.5,0.5],[0.6,1]]}]})");
    play(w, walk(60), 0, 10);
    expect(w.total(0).backward == 0 && w.total(1).backward == 1,
           "next to a segment, and through the corner of a bent line");
  }
  {
    RuleEngine w = engine(R"({"lines":[{"name":"cars","points":[[0.5,0],[0.5,1]],"classes":["car"]},
                      {"name":"tall","points":[[0.5,0],[0.5,1]],"min-height":0.5}]})");
    play(w, walk(60), 0, 10);
    expect(w.total(0).backward + w.total(1).backward == 0, "other classes and sizes do not count");
  }
  {
    // Labels: a crossing waits for the label that comes after it; another label and none at all do not count.
    const std::string text =
        R"({"lines":[{"name":"vans","points":[[0.5,0],[0.5,1]],"labels":["post van"]}]})";
    expect(parse(to_text(parse(text))) == parse(text), "labels are in the text of rules");
    const auto named = [](double s, const char *label, double from) {
      Subject o = at(1, 60 * s, 240);
      if (s >= from) o.label = label;
      return std::vector{o};
    };
    for (const auto &[label, from, counted] :
         {std::tuple("post van", 0., 1), {"post van", 8., 1}, {"car", 0., 0}, {"car", 8., 0}, {"", 0., 0}}) {
      RuleEngine w = engine(text);
      const Reported t = play(
          w, [&](double s) { return named(s, label, from); }, 0, 10);
      expect(t.count("line-cross") == counted && w.total(0).backward == std::uint64_t(counted),
             std::string("a line for vans, crossed by \"") + label + "\" from " + std::to_string(from) +
                 " s on");
      expect(counted == 0 || t.events[0].label == label, "the event says the label");
    }
    RuleEngine w = engine(
        R"({"zones":[{"name":"z","polygon":[[0,0],[1,0],[1,1],[0,1]],"loitering":3,"labels":["post van"]}]})");
    const Reported t = play(
        w, [&](double s) { return named(s, s < 8 ? "post van" : "car", 2); }, 0, 10);
    expect(t.names == std::vector<std::string>{"zone-enter", "loitering", "zone-leave"},
           "an object is in the zone as long as it has the label");
    expect(t.times[0] >= 2 && t.times[1] >= 5 && t.times[2] >= 8, "from when it has the label");
  }
}

// An object that moves by (vx, 0) pixels a second.
Subject moving(Subject s, double vx) {
  s.object.vx = vx;
  return s;
}

// Two tracks, of which the second is so far to the right of and below the first: how often both together
// cross.
int crossings_of_two(double right, double below, double tall, double speed, double of_second) {
  RuleEngine w = engine(gate);
  const Reported t = play(
      w,
      [=](double s) {
        return std::vector{moving(at(1, 100 + speed * s, 200), speed),
                           moving(at(2, 100 + right + of_second * s, 200 + below, tall), of_second)};
      },
      0, 8);
  return t.count("line-cross");
}

void parts() {
  expect(crossings_of_two(0, 24, 20, 60, 60) == 1,
         "legs that are a track of their own count with their body");
  expect(crossings_of_two(-5, 24, 20, 60, 60) == 1, "and when they lag behind");
  expect(crossings_of_two(6, -4, 40, 60, 60) == 1, "and so does a part in the middle");
  expect(crossings_of_two(-40, 0, 60, 60, 60) == 2, "two who walk next to each other are two");
  expect(crossings_of_two(4, -30, 50, 60, 60) == 2, "and two of whom one hides the other's legs");
  expect(crossings_of_two(0, 120, 60, 60, 60) == 2, "and so are two far below each other");
  expect(crossings_of_two(-50, 24, 20, 60, 85) == 2, "and a person who overtakes the other");
  expect(crossings_of_two(-44, 24, 20, 60, 60 * 1.2) == 1, "velocities of parts differ a little");
  RuleEngine w = engine(gate); // tracks of elements that tell no velocity
  const Reported t = play(
      w,
      [](double s) {
        return std::vector{at(1, 60 * s, 200), at(2, 60 * s, 224, 20)};
      },
      0, 8);
  expect(t.count("line-cross") == 2, "of what has no velocity nothing is known to be a part");
}

// A track that is not found any more before the line, while another begins behind the line where the first
// should be by then.
void taken_over() {
  const auto crossings = [](double speed_of_new, bool stands) {
    RuleEngine w = engine(gate);
    const Reported t = play(
        w,
        [=](double s) {
          std::vector<Subject> all{
              moving(at(1, 60 * s, 240, 60, s < 5 ? track::State::tracked : track::State::predicted), 60)};
          all[0].object.stationary = stands;
          if (s > 6) all.push_back(moving(at(2, 365 + speed_of_new * (s - 6), 240), speed_of_new));
          return all;
        },
        0, 8);
    return t.count("line-cross");
  };
  expect(crossings(55, false) == 1, "what a lost track did goes on under the new number");
  expect(crossings(-5, false) == 0, "but not of an object that moves another way");
  expect(crossings(55, true) == 0, "nor of an object that has stopped and may be there still");
}

void zones() {
  RuleEngine w = engine(room);
  const Reported t = play(w, walk(40), 0, 15);
  expect(t.names == std::vector<std::string>{"zone-enter", "loitering", "zone-leave"},
         "through a zone in 8 s");
  expect(t.events.size() == 3 && std::abs(t.events[2].seconds - 8) < 0.5, "the length of the stay");
  {
    RuleEngine v = engine(room); // stands on the border
    std::mt19937_64 random(2);
    const Reported j = play(
        v,
        [&](double s) { return std::vector{at(1, std::min(40 * s, 160.) + double(random() % 11) - 5, 240)}; },
        0, 60);
    expect(j.names.empty(), "who jitters on the border has not entered");
  }
  {
    RuleEngine v = engine(room); // three, of whom one ends inside and one goes on under another number
    const Reported c = play(
        v,
        [](double s) {
          std::vector<Subject> all;
          if (s < 4) all.push_back(at(1, 300, 200));
          all.push_back(at(s < 5 ? 2 : 9, 350, 300));
          return all;
        },
        0, 12);
    expect(c.count("zone-enter") == 2 && c.count("zone-leave") == 1,
           "one of two left by the end of its track");
    expect(c.count("crowd") == 2, "the crowd began and ended");
    expect(v.count(0).inside == 1 && c.count("loitering") == 1,
           "an object that changed its number stays, and loiters");
    v.finish();
    expect(v.count(0).inside == 0, "at the end all leave");
    const auto left = std::find_if(v.events().begin(), v.events().end(),
                                   [](const Event &e) { return e.kind == Kind::zone_leave; });
    expect(left != v.events().end() && left->id == 9 && left->entered_id == 2,
           "and the stay that ends is known by the number under which it began");
  }
  {
    RuleEngine v = engine(room); // one frame of a box that jumped away
    const Reported j = play(
        v, [](double s) { return std::vector{at(1, std::abs(s - 5) < 0.01 ? 600 : 300, 240)}; }, 0, 10, 20);
    expect(j.count("zone-leave") == 0, "a jump of a box in one frame trips no zone");
  }
}

void left_objects() {
  const std::string text =
      R"({"zones":[{"name":"hall","polygon":[[0,0],[1,0],[1,1],[0,1]],"left-object":4}]})";
  // Somebody walks to the middle, puts something down at 5 s, and walks on; at 20 s it is taken away.
  RuleEngine w = engine(text);
  const Reported t = play(
      w,
      [](double s) {
        std::vector<Subject> all;
        if (s < 10) all.push_back(at(1, 60 * s, 300, 100));
        if (s > 5 && s < 20) all.push_back(at(2, 300, 300, 30));
        if (s > 17) all.push_back(at(3, 100 + 60 * (s - 17), 300, 100));
        return all;
      },
      0, 25);
  expect(t.count("object-left") == 1 && t.count("object-removed") == 1, "a bag was left and taken");
  for (std::size_t i = 0; i < t.names.size(); i++)
    if (t.names[i] == "object-left")
      expect(t.events[i].id == 2 && t.events[i].owner == 1 && std::abs(t.times[i] - 9) < 0.3,
             "who left it, and when");
  RuleEngine v = engine(
      text); // people who come, stand and sit, and a companion as tall who parts from another and stands
  const Reported none = play(
      v,
      [](double s) {
        std::vector<Subject> all{at(1, std::min(60 * s, 300.), 300, s > 8 ? 60 : 100)};
        if (s > 3) all.push_back(at(2, 180, 300, 95));
        return all;
      },
      0, 30);
  expect(none.count("object-left") == 0, "nobody who stands or sits is a left object");
}

// Somebody comes, and takes what was there from the start. The ground that it hid is known for what it is in
// a frame or two.
void taken_objects() {
  const std::string text =
      R"({"zones":[{"name":"hall","polygon":[[0,0],[1,0],[1,1],[0,1]],"left-object":4}]})";
  struct RemovedObject {
    int count = 0;
    std::uint64_t owner = 0;
    double at = 0;
  };
  // `x`: where the person who walks is at 7 s; `tall`: how tall.
  const auto play_ghost = [&](double x, double tall, double left_object = 4) {
    RuleEngine w =
        engine(left_object > 0 ? text : R"({"zones":[{"name":"hall","polygon":[[0,0],[1,0],[1,1],[0,1]]}]})");
    RemovedObject t;
    for (int n = 0; n < 200; n++) {
      const double s = n / 10.;
      const std::vector<Subject> all{at(1, x + 60 * (s - 7), 300, tall), at(2, 600, 300, tall)};
      std::vector<Ghost> ghosts;
      if (n == 70 || n == 73) ghosts.push_back({at(0, 300, 300, 30).object.box, "motion"});
      w.step(all, s, ghosts);
      for (const Event &e : w.events())
        if (e.kind == Kind::object_removed) t = {t.count + 1, e.owner, s};
    }
    return t;
  };
  const RemovedObject near = play_ghost(360, 100);
  expect(near.count == 1 && near.owner == 1 && near.at == 7,
         "it was taken by that person, reported once and at once");
  expect(play_ghost(20, 100).count == 0, "nobody was near");
  // The ghost itself was a track for a while, which is kept as a prediction: it was not left there.
  RuleEngine w = engine(text);
  int left = 0;
  for (int n = 0; n < 200; n++) {
    std::vector<Subject> all{at(1, 60 * (n / 10.), 300, 100)};
    if (n > 60) all.push_back(at(3, 300, 300, 30, n < 70 ? track::State::tracked : track::State::predicted));
    std::vector<Ghost> ghosts;
    if (n == 68) ghosts.push_back({at(0, 300, 300, 30).object.box, "motion"});
    w.step(all, n / 10., ghosts);
    for (const Event &e : w.events()) left += e.kind == Kind::object_left;
  }
  expect(left == 0, "the ghost of what was taken is reported as left");
  expect(play_ghost(360, 35).count == 0, "nobody is taller");
  expect(play_ghost(360, 100, 0).count == 0, "nobody wants to know");
}

void speeds() {
  RuleEngine w = engine(
      R"({"units":"pixels","zones":[{"name":"road","polygon":[[0,0],[640,0],[640,480],[0,480]],"max-speed":5}],
    "ground":{"picture":[[0,480],[640,480],[480,240],[160,240]],"metres":[[0,0],[10,0],[10,20],[0,20]]}})");
  const Reported t = play(
      w,
      [](double s) {
        Subject one = at(1, 100 + 200 * s, 480 - 1e-9); // at the lower edge 64 px are a metre
        one.object.vx = 200;
        Subject two = at(2, 100 + 200 * s, 479);
        two.object.vx = 400;
        return std::vector{one, two};
      },
      0, 1);
  expect(t.count("speed") == 1, "one of two is too fast");
  for (std::size_t i = 0; i < t.names.size(); i++)
    if (t.names[i] == "speed")
      expect(t.events[i].id == 2 && std::abs(t.events[i].speed - 400 / 64.) < 0.05,
             "its speed in metres a second");
}

void changes_and_nonsense() {
  RuleEngine w = engine(gate);
  play(w, walk(60), 0, 10);
  w.set(in_pixels(parse(R"({"lines":[{"name":"other","points":[[0,0.5],[1,0.5]]},
                         {"name":"gate","points":[[0.2,0],[0.2,1]]}]})"),
                  width, height));
  expect(w.total(1).backward == 1 && w.total(0).backward == 0, "a line keeps its totals when it is moved");
  w.reset_totals();
  expect(w.total(1).backward == 0, "until they are set back");
  try {
    in_pixels(parse(R"({"units":"pixels","lines":[{"name":"a","points":[[900,0],[900,9]]}]})"), width,
              height);
    expect(false, "a line outside of the picture is taken");
  } catch (const Error &) {
  }
  std::mt19937_64 random(4);
  const double odd[] = {0, -1e9, 1e9, std::nan(""), std::numeric_limits<double>::infinity(), 320};
  RuleEngine v = engine(gate);
  for (int n = 0; n < 500; n++) {
    std::vector<Subject> many;
    for (std::uint64_t i = 0; i < random() % 40; i++)
      many.push_back(at(1 + random() % 60, odd[random() % 6], odd[random() % 6], odd[random() % 6]));
    v.step(many, random() % 5 ? n / 10. : odd[random() % 6]);
  }
}

// Thousands in a picture, also when all of them get other numbers in each frame, at their places or
// elsewhere.
void thousands() {
  constexpr int many = 10000, frames = 5;
  const auto crowd = [](int frame, bool anew, bool elsewhere) {
    std::vector<Subject> all;
    std::mt19937 random(std::uint32_t(elsewhere ? frame : 1));
    for (int i = 0; i < many; i++)
      all.push_back(
          at(std::uint64_t(anew ? frame * many + i : i) + 1, random() % 640, 60 + random() % 420, 12));
    return all;
  };
#ifdef __SANITIZE_THREAD__ // which looks at each access
  constexpr double most = 20;
#else
  const char *const longer = std::getenv("CK_TIMEOUT_MULTIPLIER"); // on a machine that is emulated
  const double most = 2 * std::max(1., longer ? std::atof(longer) : 1.);
#endif
  for (const auto &[anew, elsewhere] : {std::pair{false, false}, {true, false}, {true, true}}) {
    RuleEngine w = engine(R"({"zones":[{"name":"all","polygon":[[0,0],[1,0],[1,1],[0,1]],"left-object":1}],
                        "lines":[{"name":"gate","points":[[0.5,0],[0.5,1]]}]})");
    const std::clock_t begin = std::clock();
    for (int n = 0; n < frames; n++) w.step(crowd(n, anew, elsewhere), n / 10.);
    const double spent = double(std::clock() - begin) / CLOCKS_PER_SEC;
    expect(spent < most, "thousands take no seconds of processor time: " + std::to_string(spent));
  }
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"texts", texts},
      {"lines", lines},
      {"parts", parts},
      {"taken over", taken_over},
      {"zones", zones},
      {"left objects", left_objects},
      {"taken objects", taken_objects},
      {"speeds", speeds},
      {"changes and nonsense", changes_and_nonsense},
      {"thousands", thousands},
  };
  return vigil::test::run_cases("track rules", cases);
}
