// SPDX-License-Identifier: LGPL-2.1-or-later
// The truth about objects: ids that stay, boxes that agree with the picture of truth, and incidents that
// agree with the objects.
#include "common/error.h"
#include "common/scene/scene.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace vigil;
using test::expect;
using namespace vigil::scene;
using What = Incident::What;

CpuDevice &device() {
  static CpuDevice d(2);
  return d;
}
Scene make(Story story, int width = 160, int height = 120, float density = 1) {
  return Scene({.width = width, .height = height, .story = story, .noise = 0, .quiet = 1, .density = density},
               device());
}

constexpr Story stories[] = {Story::street,   Story::indoor,    Story::stopped_car, Story::crowd,
                             Story::crossing, Story::groups,    Story::left_bag,    Story::queue,
                             Story::traffic,  Story::taken_bag, Story::plaza};
constexpr double step = 0.1, longest = 64;

// An id is one object's from when it comes until it goes, in every story.
void ids_stay() {
  for (const Story story : stories) {
    const Scene scene = make(story);
    std::map<int, Kind> kinds;
    std::map<int, double> seen; // when last
    std::map<int, TrueObject> before;
    for (double t = 0; t < longest; t += step) {
      std::map<int, TrueObject> now;
      for (const TrueObject &o : scene.objects(t)) {
        const std::string what = text("story ", int(story), " at ", t, ": id ", o.id);
        expect(o.id > 0 && now.emplace(o.id, o).second, what + " is 0 or there twice");
        // At the border a foot may come into the picture, leave it and come again.
        expect(!seen.contains(o.id) || seen[o.id] > t - 1.5, what + " comes back");
        seen[o.id] = t;
        expect(kinds.try_emplace(o.id, o.kind).first->second == o.kind, what + " changes its kind");
        const auto old = before.find(o.id);
        // 10 m/s is 1 m a step, which is less than a third of this picture's height.
        if (old != before.end())
          expect(std::hypot(o.ground_x - old->second.ground_x, o.ground_y - old->second.ground_y) < 40,
                 what + " jumps");
      }
      before = now;
    }
    expect(kinds.size() >= 3 || story == Story::stopped_car,
           text("story ", int(story), " shows ", kinds.size(), " objects"));
  }
}

// Each pixel that the picture of truth calls foreground lies in a box of what is visible, and each such box
// holds some.
void expect_boxes_fit(const Scene &scene) {
  const Story story = scene.settings().story;
  std::vector<std::uint8_t> mask(320 * 240);
  for (const double t : {4.0, 9.5, 14.0, 21.0}) {
    scene.draw_truth({0, t}, {mask.data(), 320, 240, 320});
    const auto objects = scene.objects(t);
    const auto in = [](int x, int y, int left, int top, int w, int h) {
      return x >= left && y >= top && x < left + w && y < top + h;
    };
    std::vector<int> held(objects.size());
    int missed = 0;
    for (int y = 0; y < 240; y++)
      for (int x = 0; x < 320; x++) {
        if (mask[std::size_t(y * 320 + x)] != truth_foreground) continue;
        bool any = false;
        for (std::size_t i = 0; i < objects.size(); i++) {
          const TrueObject &o = objects[i];
          if (!in(x, y, o.visible_x, o.visible_y, o.visible_width, o.visible_height)) continue;
          any = true;
          held[i]++;
        }
        missed += !any;
      }
    expect(missed == 0, text("story ", int(story), " at ", t, ": ", missed, " pixels in no box"));
    for (std::size_t i = 0; i < objects.size(); i++) {
      const TrueObject &o = objects[i];
      expect(o.visible >= 0 && o.visible <= 1, text("visible is ", o.visible));
      expect(o.left <= float(o.x) && o.top <= float(o.y) && o.right >= float(o.x + o.width) &&
                 o.bottom >= float(o.y + o.height),
             "the whole holds what is in the picture");
      expect(o.visible_width == 0 || (o.visible_x >= o.x && o.visible_y >= o.y &&
                                      o.visible_x + o.visible_width <= o.x + o.width &&
                                      o.visible_y + o.visible_height <= o.y + o.height),
             "what is visible lies in the box");
      const bool large = o.visible_width * o.visible_height > 40;
      expect(!large || held[i] > 0,
             text("story ", int(story), " at ", t, ": object ", o.id, " shows no foreground"));
    }
  }
}

void boxes_agree() {
  for (const Story story : stories) expect_boxes_fit(make(story, 320, 240));
}

// From a higher pole, turned aside and down, the same people pass, and the truth fits what is drawn.
void another_view() {
  for (const Story story : {Story::street, Story::traffic, Story::crossing, Story::plaza}) {
    Settings s{.width = 320, .height = 240, .story = story, .noise = 0, .quiet = 1};
    const Scene usual(s, device());
    s.pole = 8;
    s.aside = -15;
    s.down = 9;
    const Scene other(s, device());
    expect_boxes_fit(other);
    std::size_t seen = 0;
    for (double t = 4; t < 30; t += 1) {
      seen += other.objects(t).size();
      for (const TrueObject &o : other.objects(t))
        for (const TrueObject &u : usual.objects(t))
          expect(u.ground_x != o.ground_x || u.ground_y != o.ground_y, "another view shows it elsewhere");
    }
    expect(seen > 10, text("story ", int(story), ": another view shows ", seen, " objects"));
  }
}

// Crossings are those of the ground points of the objects.
void crossings_agree() {
  for (const Story story : {Story::street, Story::traffic, Story::crossing, Story::queue, Story::plaza}) {
    const Scene scene = make(story);
    int incidents = 0, changes = 0, forward = 0;
    std::map<int, float> before;
    for (int n = 1; n < int(longest / step); n++) {
      std::map<int, float> now;
      for (const TrueObject &o : scene.objects(n * step)) now[o.id] = o.ground_x;
      for (const auto &[id, x] : now)
        if (const auto old = before.find(id); old != before.end()) changes += (old->second < 80) != (x < 80);
      for (const Incident &i : scene.incidents((n - 1) * step, n * step)) {
        if (i.what != What::cross) continue;
        incidents++;
        forward += i.forward;
        const auto old = before.find(i.id), here = now.find(i.id);
        if (old != before.end() && here != now.end())
          expect(i.forward == (here->second < old->second),
                 "forward is leftwards over a line drawn downwards");
        expect(std::fabs(i.x - 80) < 0.01f, text("it crosses at ", i.x));
      }
      before = now;
    }
    expect(incidents == changes && incidents >= 5,
           text("story ", int(story), ": ", incidents, " crossings, ", changes, " changes of side"));
    expect(story == Story::queue || (forward > 0 && forward < incidents), "both ways");
  }
}

void bags_are_left() {
  const Scene scene = make(Story::left_bag);
  struct Event {
    double at;
    Incident what;
  };
  std::vector<Event> events;
  for (int n = 1; n < 1200; n++)
    for (const Incident &i : scene.incidents((n - 1) * step, n * step))
      if (i.kind == Kind::bag) events.push_back({n * step, i});
  expect(events.size() == 4, text(events.size(), " things happen to bags in two rounds"));
  if (events.size() != 4) return;
  for (std::size_t k = 0; k < 4; k += 2) {
    const Event &left = events[k], &removed = events[k + 1];
    expect(left.what.what == What::object_left && removed.what.what == What::object_removed,
           "left, then removed");
    expect(left.what.id == removed.what.id && left.what.since == removed.what.since, "the same bag");
    expect(removed.at - left.at > 15, text("it lay for ", removed.at - left.at, " s"));
    expect(std::fabs(left.at - left.what.since) <= step, "at its time");
    // The owner is next to it, and is far away ten seconds later.
    const auto distance = [&](double t) {
      const auto objects = scene.objects(t);
      const auto find = [&](int id) {
        return std::find_if(objects.begin(), objects.end(), [&](const TrueObject &o) { return o.id == id; });
      };
      const auto owner = find(left.what.owner), bag = find(left.what.id);
      expect(bag != objects.end() && bag->kind == Kind::bag && bag->owner == left.what.owner,
             "the bag lies there");
      return owner == objects.end() || bag == objects.end() ? 1000.f
                                                            : std::fabs(owner->ground_x - bag->ground_x);
    };
    expect(distance(left.at) < 20 && distance(left.at + 10) > 30,
           text("the owner is ", distance(left.at), " and ", distance(left.at + 10), " pixels away"));
  }
}

void bags_are_taken() {
  const Scene scene = make(Story::taken_bag);
  const auto bags = [&](double t) {
    const auto objects = scene.objects(t);
    return std::count_if(objects.begin(), objects.end(),
                         [](const TrueObject &o) { return o.kind == Kind::bag; });
  };
  expect(bags(0) == 3, text(bags(0), " bags at first"));
  int removed = 0;
  for (int n = 1; n < 800; n++)
    for (const Incident &i : scene.incidents((n - 1) * step, n * step)) {
      expect(i.what != What::object_left, "a bag is left");
      if (i.what != What::object_removed) continue;
      removed++;
      expect(bags(n * step) == 3 - removed, "one bag less");
    }
  expect(removed == 3, text(removed, " bags are taken"));
}

// Stays have a begin and an end each, and last as the objects say.
void stays_agree() {
  const Scene scene = make(Story::queue);
  std::map<int, double> standing;
  int ends = 0;
  for (int n = 1; n < int(longest / step); n++) {
    for (const Incident &i : scene.incidents((n - 1) * step, n * step)) {
      if (i.what == What::stay_begin)
        expect(standing.emplace(i.id, i.since).second, "it did not stand before");
      if (i.what != What::stay_end) continue;
      expect(standing[i.id] == i.since, "it ends the stay that began");
      standing.erase(i.id);
      ends++;
    }
    for (const TrueObject &o : scene.objects(n * step))
      expect((o.since >= 0) == standing.contains(o.id) && (o.since < 0 || o.speed == 0),
             text("object ", o.id, " at ", n * step));
  }
  expect(ends > 20 && !standing.empty(), text(ends, " stays"));
}

// Somebody is hidden by somebody else where ways cross, and is a part of no picture then.
void people_hide_each_other() {
  const Scene scene = make(Story::crossing, 320, 240);
  float least = 1;
  for (double t = 3; t < 40; t += 0.2)
    for (const TrueObject &o : scene.objects(t))
      if (o.left > 0 && o.right < 320) least = std::min(least, o.visible);
  expect(least < 0.3f, text("the most hidden one still shows ", least));
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"ids stay", ids_stay},           {"boxes agree", boxes_agree},
      {"another view", another_view},   {"crossings agree", crossings_agree},
      {"bags are left", bags_are_left}, {"bags are taken", bags_are_taken},
      {"stays agree", stays_agree},     {"people hide each other", people_hide_each_other},
  };
  return vigil::test::run_cases("scene truth", cases);
}
