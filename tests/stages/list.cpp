// SPDX-License-Identifier: LGPL-2.1-or-later
// The list of stages: the order of the calls, stages that are off, starting over, feedback and times; and the
// product's own list on a small scene.
#include "gst/cudamog/stage_list.h"
#include "tests/stages/rig.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>

namespace {

using namespace vigil;
using namespace vigil::test;

// Writes down what it is asked to do.
class Spy final : public Stage {
 public:
  Spy(const char *name, std::string &log) : name_(name), log_(log) {}
  const char *name() const override { return name_; }
  bool is_on(const Settings &s) const override { return name_[0] != 'b' || s.tuning.watch_camera; }
  Restart configure(const Settings &, Queue &) override { return note("configure", Restart::none); }
  void submit(FrameGroup &group, const Feedback &feedback, Queue &) override {
    note(feedback.requests.look ? "submit!" : "submit");
    group.restart = std::exchange(restarts, Restart::none);
  }
  void finish(FrameContext &, Feedback &feedback, Queue &) override {
    note("finish");
    feedback.requests.look |= std::exchange(asks, false);
  }
  void turned_off(FrameContext &, Feedback &) override { note("off"); }
  void start_over(Restart r) override { note(r == Restart::scene ? "scene" : "model"); }

  Restart restarts = Restart::none;
  bool asks = false;

 private:
  Restart note(const char *what, Restart r = Restart::none) {
    log_ += std::string(name_) + "." + what + " ";
    return r;
  }
  const char *name_;
  std::string &log_;
};

void order() {
  Rig rig;
  std::string log;
  std::vector<std::unique_ptr<Stage>> stages;
  for (const char *name : {"a", "b", "c"}) stages.push_back(std::make_unique<Spy>(name, log));
  auto &a = static_cast<Spy &>(*stages[0]);
  StageList list(*rig.device, rig.model, std::move(stages));
  list.set_format(rig.format);
  const auto said = [&] { return std::exchange(log, {}); };
  const auto next = [&](unsigned number) {
    auto f = list.make_frame();
    f->settings = rig.settings;
    f->settings_number = number;
    FrameContext *const one = f.get();
    list.submit({&one, 1}, *rig.queue);
    return f;
  };
  auto first = next(1);
  expect(said() == "a.configure b.configure c.configure a.submit b.submit c.submit ",
         "list: the first frame");
  auto second = next(1);
  expect(said() == "a.submit b.submit c.submit ", "list: settings that stay are not configured again");
  a.asks = true;
  list.finish(*first, *rig.queue);
  expect(said() == "a.finish b.finish c.finish ", "list: a frame is finished in the same order");
  rig.settings.tuning.watch_camera = false;
  auto third = next(2);
  expect(said() == "a.configure b.configure c.configure a.submit! c.submit! ",
         "list: b is off, and what the first frame asked for comes with the next one that is submitted");
  list.finish(*second, *rig.queue);
  expect(said() == "a.finish b.finish c.finish ", "list: a frame under way keeps its stages");
  list.finish(*third, *rig.queue);
  expect(said() == "a.finish b.off c.finish ", "list: b learns that it is off in the order of the frames");
  a.restarts = Restart::scene;
  auto fourth = next(2);
  expect(said() == "a.submit a.scene b.scene c.scene c.submit ",
         "list: all start over before the next stage");
  list.finish(*fourth, *rig.queue);
  expect(said() == "a.finish c.finish ", "list: b stays off");
  list.start_over(Restart::all);
  expect(said() == "a.model b.model c.model ", "list: everything starts over");
}

// A square that comes into a scene that was learnt.
void product() {
  Rig rig;
  rig.settings.diagnostics.stage_times = true;
  tamper::TamperDetector detector;
  StageList list(*rig.device, rig.model, make_stages(*rig.device, rig.model, detector));
  list.set_format(rig.format);
  Picture still = ground(), out;
  auto f = list.make_frame();
  const auto see = [&](Picture &p) {
    f->settings = rig.settings;
    f->settings_number = 1;
    f->seconds = 0.04;
    f->input = p.image();
    f->output = out.image();
    FrameContext *const one = f.get();
    list.submit({&one, 1}, *rig.queue);
    list.fetch(*f, *rig.queue);
    list.finish(*f, *rig.queue);
  };
  see(still);
  expect(f->detections.dropped && f->report.changed_fraction == 0, "product: the first frame says nothing");
  for (int i = 0; i < 60; i++) see(still);
  expect(f->detections.boxes.empty() && f->report.light == Report::Light::steady, "product: nothing moves");
  Picture thing = still;
  thing.fill(40, 40, 30, 30, 255);
  see(thing);
  expect(f->detections.boxes.size() == 1, "product: the square is found");
  if (!f->detections.boxes.empty()) {
    const BlobBox &b = f->detections.boxes[0];
    expect(b.x >= 38 && b.x <= 42 && b.width >= 26 && b.width <= 34, "product: where it is");
  }
  expect(f->report.moving_fraction > 0.02, "product: it is motion");
  expect(out.at(50, 50) == 255 && out.at(100, 100) == 0, "product: the mask");
  double submit = 0;
  for (const StageTime &t : list.times()) {
    submit += t.submit;
    const bool off = std::string(t.stage) == "compose"; // a mask comes out
    expect(t.frames == (off ? 0u : 62u), std::string("product: frames of ") + t.stage);
  }
  expect(submit > 0, "product: times are measured");

  const std::uint64_t learnt = rig.model.frames();
  for (const Output output : {Output::mask, Output::foreground, Output::overlay, Output::background}) {
    out.fill(0, 0, width, height, 99);
    f->settings.output = output;
    f->input = thing.image();
    f->output = out.image();
    list.pass_by(*f, *rig.queue);
    const int want = output == Output::overlay ? 255 : output == Output::background ? still.at(50, 50) : 0;
    expect(std::abs(double(out.at(50, 50)) - want) <= 1, "product: a corrupted frame has no foreground");
  }
  expect(rig.model.frames() == learnt, "product: it is not learnt");
}

// The product's list on a scene, with small-objects or without.
class WithSmallObjects {
  Rig rig_;
  tamper::TamperDetector detector_;
  StageList list_;

 public:
  explicit WithSmallObjects(bool on)
      : list_(*rig_.device, rig_.model, make_stages(*rig_.device, rig_.model, detector_)) {
    list_.set_format(rig_.format);
    rig_.settings.tuning.small_objects = on;
    for (Seen &s : group) {
      s.frame = list_.make_frame();
      s.frame->settings = rig_.settings;
      s.frame->settings_number = 1;
      s.frame->seconds = 0.04;
      s.frame->output = s.mask.image();
    }
  }
  void see(Picture (&pictures)[2]) {
    FrameContext *frames[2];
    for (int i = 0; i < 2; i++) {
      frames[i] = group[i].frame.get();
      frames[i]->input = pictures[i].image();
    }
    list_.submit(frames, *rig_.queue);
    for (FrameContext *f : frames) list_.fetch(*f, *rig_.queue);
    for (FrameContext *f : frames) list_.finish(*f, *rig_.queue);
    rig_.model.mixture().background(background.image(), *rig_.queue);
  }
  struct Seen {
    std::unique_ptr<FrameContext> frame;
    Picture mask;
  } group[2];
  Picture background;
};

// A large object and a small one pass, two frames a group. What is found, what later frames get from it and
// what the model learns do not depend on small-objects.
void small_objects_in_the_mask_alone() {
  WithSmallObjects off(false), on(true);
  const Picture still = ground();
  std::mt19937 random(5);
  int with_boxes = 0, restored = 0;
  for (int t = 0; t < 400; t += 2) {
    Picture seen[2] = {still, still};
    for (int i = 0; i < 2; i++) {
      if (t >= 100) seen[i].fill(4 + (t + i - 100) / 2 % 120, 30, 30, 40, 250);
      if (t >= 100) seen[i].fill(4 + (t + i - 100) / 3 % 140, 100, 4, 4, 255);
      for (auto &v : seen[i].bytes) v = std::uint8_t(std::clamp(int(v) + int(random() % 5) - 2, 0, 255));
    }
    off.see(seen);
    on.see(seen);
    expect(off.background.bytes == on.background.bytes, text("small objects: another model, frame ", t));
    for (int i = 0; i < 2; i++) {
      const FrameContext &a = *off.group[i].frame, &b = *on.group[i].frame;
      const auto same = [&](bool equal, const char *what) {
        expect(equal, text("small objects: other ", what, ", frame ", t + i));
      };
      same(a.detections.boxes.size() == b.detections.boxes.size(), "boxes");
      for (std::size_t k = 0; k < std::min(a.detections.boxes.size(), b.detections.boxes.size()); k++) {
        const BlobBox &x = a.detections.boxes[k], &y = b.detections.boxes[k];
        same(x.x == y.x && x.y == y.y && x.width == y.width && x.height == y.height && x.area == y.area &&
                 x.ghost == y.ghost,
             "boxes");
      }
      same(a.detections.cells == b.detections.cells, "cells");
      same(a.detections.foreground == b.detections.foreground && a.detections.shadow == b.detections.shadow,
           "pixels");
      same(a.report.changed_fraction == b.report.changed_fraction &&
               a.report.moving_fraction == b.report.moving_fraction,
           "motion");
      same(a.report.ghost_cells == b.report.ghost_cells && a.report.object_cells == b.report.object_cells,
           "ghosts");
      with_boxes += !a.detections.boxes.empty();
      for (std::size_t k = 0; k < off.group[i].mask.bytes.size(); k++) {
        const int x = off.group[i].mask.bytes[k], y = on.group[i].mask.bytes[k];
        if (x == y) continue;
        restored++;
        expect(y == 255, "small objects: the mask loses a pixel");
      }
    }
  }
  expect(with_boxes > 200, text("small objects: frames with a box: ", with_boxes));
  expect(restored > 1000, text("small objects: pixels restored: ", restored));
}

int run() {
  const std::vector<vigil::test::Case> cases = {
      {"order", order},
      {"product", product},
      {"small objects in the mask alone", small_objects_in_the_mask_alone},
  };
  return vigil::test::run_cases("stage-list-test", cases);
}

} // namespace

int main() {
  return run();
}
