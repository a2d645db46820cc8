// SPDX-License-Identifier: LGPL-2.1-or-later
// line_rule.h: crossings of one line, from objects that a table holds.
#include "kernels/rules/line_rule.h"
#include "tests/track/objects.h"

namespace {

using namespace vigil;
using namespace vigil::rules;
using namespace vigil::rules::test;

const Settings settings; // 8 px, 0.1 s, hand-over 1 s
const Projection projection;

Line gate() {
  Line l;
  l.name = "gate";
  l.points = {{300, 0}, {300, 480}};
  return l;
}

class Scene {
 public:
  explicit Scene(const Line &l = gate()) : rule(l) {}
  // Frames each 0.125 s; the names of what is reported.
  std::string step(const std::vector<Subject> &subjects) {
    const auto renames = table.meet(subjects, seconds, projection, settings);
    if (!renames.empty()) rule.rename(renames);
    events.clear();
    rule.step(table, seconds, settings, events);
    seconds += 0.125;
    return names(events);
  }
  std::string walk(const std::vector<double> &xs) {
    std::string all;
    for (const double x : xs) all += step({track_at(1, x, 240)});
    return all;
  }
  ObjectTable table;
  LineRule rule;
  std::vector<Event> events;
  double seconds = 0;
};

void crosses() {
  Scene s;
  expect(s.walk({250, 280, 296, 304, 296, 304}).empty(), "on the line nothing is certain");
  expect(s.walk({320}).empty() && s.walk({330}) == "line-cross", "beyond it, when it has settled");
  expect(s.rule.total().backward == 1 && s.rule.total().forward == 0, "to the left of the line's direction");
  expect(s.walk({296, 330, 340}).empty(), "one that comes back to the line and turns round does not count");
  Line wrong = gate();
  wrong.wrong_way = Direction::backward;
  Scene w(wrong);
  for (const double x : {250., 330.}) w.walk({x});
  expect(w.step({track_at(1, 340, 240)}) == "line-cross wrong-way", "the wrong way is reported as well");
}

void hidden_way_counts() {
  Scene s;
  Subject came = track_at(1, 350, 240);
  came.object.came_x = -100;
  s.step({came});
  expect(s.step({came}) == "line-cross", "a line on the way that it came hidden");
}

// A second track goes along, so far below the first one, of this height.
std::size_t crossings_of_two(double below, double tall, double speed_of_second) {
  Scene s;
  std::size_t count = 0;
  for (int n = 0; n < 12; n++) {
    s.step({track_at(1, 250 + 10 * n, 200, 60, 80),
            track_at(2, 250 + 10 * n, 200 + below, tall, speed_of_second)});
    count += s.events.size();
  }
  expect(s.rule.total().backward == count, "each event counts in the total");
  return count;
}

void parts() {
  expect(crossings_of_two(24, 20, 80) == 1, "legs below a body are a part of it");
  expect(crossings_of_two(120, 60, 80) == 2, "one far below is not");
  expect(crossings_of_two(24, 20, 140) == 2, "nor is one that is faster");
}

void changes() {
  Scene s;
  s.walk({250, 330}); // it has crossed, and has not settled
  Line moved = gate();
  moved.points[0].x = 310;
  s.rule.set(moved);
  expect(s.walk({330, 330, 330}).empty(), "a line that moved forgets what has begun");
  Scene t;
  t.walk({250, 330});
  t.rule.set(gate());
  expect(t.walk({330}) == "line-cross", "and goes on where its points are the same");
  t.rule.reset_totals();
  expect(t.rule.total().backward == 0, "totals are set back");
  Scene r;
  r.walk({250, 330});
  expect(r.step({track_at(2, 332, 240)}) == "line-cross" && r.events[0].id == 2,
         "a crossing goes on under a new number");
  Line cars = gate();
  cars.filter.classes = {"car"};
  Scene c(cars);
  expect(c.walk({250, 330, 330, 330}).empty() && c.rule.total().backward == 0, "other classes do not count");
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"crosses", crosses},
      {"hidden way counts", hidden_way_counts},
      {"parts", parts},
      {"changes", changes},
  };
  return vigil::test::run_cases("track line rule", cases);
}
