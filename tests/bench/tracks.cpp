// SPDX-License-Identifier: LGPL-2.1-or-later
// How long boxtrack's tracker and boxrules' rule engine take for a frame, on one thread: objects that cross
// the picture each way, some of them merged for a while, four zones and four lines.
//
//   bench-tracks [FRAMES]
#include "kernels/rules/rule_engine.h"
#include "kernels/track/tracker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace vigil;
using Clock = std::chrono::steady_clock;

constexpr double width = 1920, height = 1080, fps = 25;

std::vector<track::Detection> boxes_at(int frame, int objects) {
  std::mt19937 random(7);
  std::vector<track::Detection> boxes;
  for (int i = 0; i < objects; i++) {
    const double speed = (i % 2 ? -1. : 1.) * (40 + random() % 80), start = random() % int(width);
    const double x = std::fmod(std::fmod(start + speed * frame / fps, width) + width, width);
    track::Detection d;
    d.box = {std::round(x), double(random() % int(height - 80)), 30, 80};
    boxes.push_back(d);
  }
  return boxes;
}

rules::Rules four_each() {
  rules::Rules r;
  r.units = rules::Units::pixels;
  for (int i = 0; i < 4; i++) {
    const double x = width * i / 4, to = x + width / 4;
    rules::Zone z;
    z.name = "zone " + std::to_string(i);
    z.polygon = {{x, 0}, {to, 0}, {to, height}, {x, height}};
    z.left_object = 10;
    r.zones.push_back(z);
    rules::Line l;
    l.name = "line " + std::to_string(i);
    l.points = {{x + width / 8, 0}, {x + width / 8, height}};
    r.lines.push_back(l);
  }
  return r;
}

double microseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}
double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
  return v[v.size() / 2];
}

void measure(int objects, int frames) {
  track::Tracker tracker;
  rules::RuleEngine engine;
  engine.set(four_each());
  std::vector<double> tracking, ruling;
  std::vector<rules::Subject> subjects;
  for (int n = 0; n < frames; n++) {
    const auto boxes = boxes_at(n, objects);
    auto begin = Clock::now();
    tracker.step(boxes, n / fps, width, height);
    tracking.push_back(microseconds(begin));
    subjects.clear();
    for (const track::Object &o : tracker.objects()) subjects.push_back({o, "motion"});
    begin = Clock::now();
    engine.step(subjects, n / fps);
    ruling.push_back(microseconds(begin));
  }
  std::printf("%5d boxes, %5zu tracks: tracker %8.1f us, rules %7.1f us a frame (medians)\n", objects,
              tracker.objects().size(), median(tracking), median(ruling));
}

} // namespace

int main(int argc, char **argv) {
  const int frames = argc > 1 ? std::max(1, std::atoi(argv[1])) : 200;
  for (const int objects : {10, 50, 200, 400, 2000}) measure(objects, frames);
  return 0;
}
