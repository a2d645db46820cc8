// SPDX-License-Identifier: LGPL-2.1-or-later
// Each stage of cudamog by itself, on a FrameContext: what it makes of a frame, and what it asks of later
// ones.
#include "gst/cudamog/stage_list.h"
#include "gst/cudamog/stages/background.h"
#include "gst/cudamog/stages/blobs.h"
#include "gst/cudamog/stages/cleanup.h"
#include "gst/cudamog/stages/compose.h"
#include "gst/cudamog/stages/contours.h"
#include "gst/cudamog/stages/exposure.h"
#include "gst/cudamog/stages/ghosts.h"
#include "gst/cudamog/stages/learning_rate.h"
#include "gst/cudamog/stages/light_jump.h"
#include "gst/cudamog/stages/local_light.h"
#include "gst/cudamog/stages/mixture.h"
#include "gst/cudamog/stages/motion_gate.h"
#include "gst/cudamog/stages/recall_light.h"
#include "gst/cudamog/stages/region_of_interest.h"
#include "gst/cudamog/stages/small_objects.h"
#include "gst/cudamog/stages/stabilize.h"
#include "gst/cudamog/stages/tamper.h"
#include "gst/cudamog/stages/views.h"
#include "tests/stages/rig.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <png.h>
#include <random>
#include <string>

namespace {

using namespace vigil;
using namespace vigil::test;

bool near(double a, double b, double by) {
  return std::abs(a - b) <= by;
}

void roi() {
  Rig rig;
  RegionOfInterestStage stage(*rig.device);
  rig.start(stage);
  FrameContext f = rig.frame(stage);
  rig.submit(stage, f);
  expect(f.roi.pixels == width * height && !f.roi.mask.data, "roi: all pixels count without an image");

  Picture half;
  half.fill(0, 0, width / 2, height, 255);
  const std::string path = "roi-test.png";
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_GRAY;
  expect(png_image_write_to_file(&image, path.c_str(), 0, half.bytes.data(), width, nullptr) != 0,
         "roi: cannot write a PNG");
  rig.settings.mask_location = path;
  stage.configure(rig.settings, *rig.queue);
  rig.submit(stage, f);
  expect(f.roi.pixels == width * height / 2, "roi: half of the pixels count");
  expect(f.roi.mask.data && f.roi.mask.row(5)[0] == 255 && f.roi.mask.row(5)[width - 1] == 0,
         "roi: the mask");
  std::remove(path.c_str());
  rig.settings.mask_location = "not-there.png";
  bool thrown = false;
  try {
    stage.configure(rig.settings, *rig.queue);
  } catch (const Error &) {
    thrown = true;
  }
  expect(thrown, "roi: an image that is not there is an error");
}

void tamper() {
  Rig rig;
  tamper::TamperDetector detector;
  TamperStage stage(*rig.device, detector);
  rig.start(stage);
  Picture usual = ground(), covered, moved = ground(40, 0);
  const auto see = [&](Picture &p, double seconds) {
    std::optional<tamper::Event> event;
    for (double t = 0; t < seconds; t += 0.25) {
      FrameContext f = rig.frame(stage, &p, 0.25);
      rig.run(stage, f);
      if (f.report.tamper) event = f.report.tamper;
    }
    return event;
  };
  expect(!see(usual, 10), "tamper: nothing happens to a camera that stays");
  const auto begins = see(covered, 4);
  expect(begins && begins->trouble == tamper::TamperKind::covered && begins->begins, "tamper: it is covered");
  const auto ends = see(usual, 4);
  expect(ends && !ends->begins, "tamper: it is uncovered");
  const auto turned = see(moved, 40);
  expect(turned && turned->trouble == tamper::TamperKind::moved, "tamper: it is moved");
  FrameContext f = rig.frame(stage, &moved, 0.01);
  rig.run(stage, f);
  rig.run(stage, f);
  expect(!f.sketched, "tamper: 0.01 s later there is no sketch");
  rig.feedback.requests.look = true;
  rig.run(stage, f);
  expect(f.sketched && near(*f.sketched, 0.02, 0.011), "tamper: but where one is asked for");
  rig.feedback.requests = {};
  rig.settings.flow.async_depth = 1;
  FrameContext next = rig.frame(stage, &moved, 0.01), after = rig.frame(stage, &moved, 0.01);
  rig.submit(stage, next);
  rig.submit(stage, after);
  rig.feedback.requests.look = true; // by the frame before, which is finished only now
  stage.finish(next, rig.feedback, *rig.queue);
  expect(next.sketched && !rig.feedback.requests.look, "tamper: even if the frame was submitted before that");
  stage.finish(after, rig.feedback, *rig.queue);
  expect(!after.sketched, "tamper: and the one after it is none");
  rig.settings.tuning.watch_camera = false;
  expect(!stage.is_on(rig.settings), "tamper: watch-camera=false turns it off");
}

void recall_light() {
  Rig rig;
  RecallLightStage stage(rig.model);
  rig.start(stage);
  Picture day = ground(), night = ground(0, 0, 0.6, -20);
  rig.learn(day, 80);
  FrameContext f = rig.frame(stage, &night);
  rig.feedback.requests = {.relearn = true, .recall_light = true};
  FrameGroup group = rig.submit(stage, f);
  expect(!group.recalled && group.restart == Restart::none, "recall-light: nothing is known of this light");
  rig.learn(night, 80);
  FrameContext again = rig.frame(stage, &day);
  group = rig.submit(stage, again);
  expect(group.recalled && group.restart == Restart::scene, "recall-light: the day's picture is taken up");
  Picture drawn;
  rig.model.mixture().background(drawn.image(), *rig.queue);
  expect(near(drawn.at(80, 60), day.at(80, 60), 1), "recall-light: the model starts from it");
}

// Looks at the places in turn, as a camera on a tour does.
void views() {
  Rig rig;
  tamper::TamperDetector detector;
  TamperStage tamper(*rig.device, detector);
  ViewsStage stage(*rig.device, rig.model, detector);
  rig.start(tamper);
  rig.start(stage);
  Picture here = ground(), there = ground(60, 40), dark, drawn;
  for (auto &v : dark.bytes) v = 16;
  bool recalled = false, fresh = false, another = false, explained = false;
  // Learns what is shown, as the mixture does, and at once where a view is new. Returns the number of frames
  // until the view changed.
  const auto see = [&](Picture &p, int frames) {
    recalled = fresh = another = false;
    int after = -1;
    for (int i = 0; i < frames; i++) {
      FrameContext of_tamper = rig.frame(tamper, &p, 0.25);
      rig.run(tamper, of_tamper);
      FrameContext f = rig.frame(stage, &p, 0.25);
      f.sketched = of_tamper.sketched;
      f.detections.foreground = explained ? 0 : width * height / 2;
      const FrameGroup group = rig.submit(stage, f);
      rig.feedback.requests = {};
      if (group.recalled || group.new_view) {
        recalled |= group.recalled;
        fresh |= group.new_view;
        if (after < 0) after = i;
        expect(group.restart == Restart::scene, "views: all stages start over");
        if (group.new_view) rig.learn(p, 1, 1);
        if (group.recalled) rig.model.mixture().background(drawn.image(), *rig.queue);
      }
      rig.learn(p, 8, 0.01);
      stage.finish(f, rig.feedback, *rig.queue);
      another |= f.another_view;
    }
    return after;
  };
  expect(see(here, 20) < 0 && !another, "views: nothing happens to a camera that stays");
  const int first = see(there, 20);
  expect(fresh && !recalled && first >= 2 && first <= 5, text("views: a new place, after ", first));
  expect(see(here, 20) == 1 && recalled && !fresh, "views: the place before is known in the next frame");
  expect(another, "views: the frame by which it changes says nothing about objects");
  expect(near(drawn.at(80, 60), here.at(80, 60), 1), "views: the model starts from it");
  expect(see(there, 20) == 1 && recalled && near(drawn.at(80, 60), there.at(80, 60), 1),
         "views: so is the other one");
  FrameContext of_tamper = rig.frame(tamper, &here, 0.25), turns = rig.frame(stage, &here, 0.25),
               ahead = rig.frame(stage, &here, 0.25), later = rig.frame(stage, &here, 0.25);
  rig.run(tamper, of_tamper);
  turns.sketched = of_tamper.sketched;
  turns.detections.foreground = width * height / 2;
  rig.submit(stage, turns);
  rig.submit(stage, ahead);
  stage.finish(turns, rig.feedback, *rig.queue);
  stage.finish(ahead, rig.feedback, *rig.queue);
  expect(turns.another_view && ahead.of_view_before, "views: nor do frames that ran ahead");
  rig.run(stage, later);
  rig.feedback.requests = {};
  expect(!turns.of_view_before && !later.of_view_before, "views: but those after them do");
  expect(see(there, 20) == 1 && recalled, "views: the view before is known after that, too");
  expect(see(dark, 20) < 0, "views: a covered camera shows no other view");
  expect(see(there, 20) < 0, "views: nor does it afterwards");
  explained = true;
  expect(see(here, 20) < 0 && !another, "views: a picture that the model explains is of its view");
  explained = false;
  stage.start_over(Restart::all);
  expect(see(there, 20) < 0 && see(here, 20) >= 2 && fresh, "views: nothing is known after a reset");
  rig.settings.tuning.watch_camera = false;
  expect(!stage.is_on(rig.settings), "views: watch-camera=false turns it off");
}

void learning_rate() {
  Rig rig;
  LearningRateStage stage(rig.model);
  rig.start(stage);
  FrameContext f = rig.frame(stage);
  rig.submit(stage, f);
  expect(f.learning.first && near(f.learning.rate, 0.5, 1e-9), "learning-rate: 1 / (2 n) of the first frame");
  Picture p = ground();
  rig.learn(p, 600);
  rig.submit(stage, f);
  expect(!f.learning.first && near(f.learning.rate, 1. / 500, 1e-9), "learning-rate: 1 / history");
  rig.feedback.requests.relearn = true;
  rig.submit(stage, f);
  rig.feedback.requests = {};
  expect(f.learning.relearning && near(f.learning.rate, 1, 1e-9), "learning-rate: relearning begins with 1");
  rig.submit(stage, f);
  expect(near(f.learning.rate, 0.5, 1e-9), "learning-rate: and goes on with 1/2");
  rig.feedback.requests.stop_relearning = true;
  rig.submit(stage, f);
  expect(!f.learning.relearning && near(f.learning.rate, 1. / 500, 1e-9),
         "learning-rate: until it is stopped");
  rig.feedback.requests = {};
  f.settings.tuning.learning_time = 10;
  rig.submit(stage, f);
  expect(near(f.learning.rate, 1 - std::exp(-0.04 / 10), 1e-9), "learning-rate: by learning-time");
}

void background() {
  Rig rig;
  BackgroundStage stage(*rig.device, rig.model);
  rig.start(stage);
  FrameContext f = rig.frame(stage);
  rig.submit(stage, f);
  expect(!f.background.picture.data[0], "background: a model that knows nothing has none");
  Picture p = ground();
  rig.learn(p, 40);
  rig.submit(stage, f);
  expect(f.background.picture.data[0] && near(f.background.picture.plane(0).row(60)[80], p.at(80, 60), 1),
         "background: what was learnt");
  const auto draws = stage.picture().draws();
  rig.learn(p, 7);
  rig.submit(stage, f);
  expect(stage.picture().draws() == draws, "background: 7 frames later the picture stays");
  rig.learn(p, 1);
  rig.submit(stage, f);
  expect(stage.picture().draws() == draws + 1, "background: 8 frames later it is drawn again");
  rig.settings.stabilize = StabilizeMode::off;
  rig.settings.exposure = ExposureMode::off;
  rig.settings.tuning.foreground_rate = 1;
  expect(!stage.is_on(rig.settings), "background: off where no stage needs it");
}

void stabilize() {
  Rig rig;
  BackgroundStage before(*rig.device, rig.model);
  StabilizeStage stage(*rig.device, before.picture());
  rig.start(before);
  rig.start(stage);
  Picture still = ground(), swayed = ground(5, 3);
  rig.learn(still, 40);
  FrameContext f = rig.frame(stage, &swayed);
  rig.submit(before, f);
  rig.run(stage, f);
  expect(f.background.by && f.report.shift.x == 5 && f.report.shift.y == 3, "stabilize: the shift is found");
  FrameContext relearnt = rig.frame(stage, &swayed);
  relearnt.learning.relearning = true;
  rig.submit(before, relearnt);
  rig.run(stage, relearnt);
  expect(!relearnt.background.by && relearnt.report.shift.x == 0, "stabilize: not while it is relearnt");
}

void exposure_is_undone() {
  Rig rig;
  BackgroundStage before(*rig.device, rig.model);
  ExposureStage stage(*rig.device, rig.model);
  rig.start(before);
  rig.start(stage);
  Picture usual = ground(), darker = ground(0, 0, 0.8, 5);
  rig.learn(usual, 40);
  FrameContext f = rig.frame(stage, &darker);
  rig.submit(before, f);
  rig.run(stage, f);
  expect(near(f.report.exposure.gain, 0.8, 0.03) && near(f.report.exposure.offset, 5, 3),
         "exposure: gain and offset are found");
  expect(near(f.compensated.plane(0).row(60)[80], usual.at(80, 60), 4), "exposure: and undone");
}

void mixture() {
  Rig rig;
  MixtureStage stage(*rig.device, rig.model);
  rig.start(stage);
  Picture p = ground();
  rig.learn(p, 60);
  Picture thing = p, out;
  thing.fill(40, 40, 30, 30, 255);
  FrameContext f = rig.frame(stage, &thing);
  f.output = out.image();
  f.learning.rate = 0.01;
  std::vector<std::uint8_t> map(std::size_t(rig.format.grid.cells()),
                                std::uint8_t(ghost::AdaptationRate::usual));
  map[0] = std::uint8_t(ghost::AdaptationRate::at_once);
  rig.feedback.adaptation = map;
  const std::uint64_t frames = rig.model.frames();
  rig.submit(stage, f);
  expect(f.mask.data == out.bytes.data() && out.at(50, 50) == 255 && out.at(10, 100) == 0,
         "mixture: the mask is what comes out");
  expect(rig.model.frames() == frames + 1, "mixture: the frame is learnt");
  expect(near(f.learning.at_once, 1. / double(map.size()), 1e-9), "mixture: one cell is learnt at once");
  f.settings.output = Output::passthrough;
  rig.submit(stage, f);
  expect(f.mask.data && f.mask.data != out.bytes.data(), "mixture: else the mask has memory of its own");
}

// A new range of the same frames keeps what was learnt.
void range() {
  using mog::ColourRange, mog::Method;
  const auto threshold = [](PixelFormat f, int channels, ColourRange r, Method m = Method::zivkovic) {
    return mog::resolve({}, m, f, channels, r).shadow_threshold;
  };
  expect(threshold(PixelFormat::nv12, 3, ColourRange::full) == 0.8, "range: Y U V in full range");
  expect(threshold(PixelFormat::nv12, 3, ColourRange::video) == double(0.83f), "range: Y U V in video range");
  expect(threshold(PixelFormat::i420, 1, ColourRange::video, Method::mog) == double(0.83f),
         "range: method mog");
  expect(threshold(PixelFormat::nv12, 1, ColourRange::video) == 0.85, "range: luma alone");
  expect(threshold(PixelFormat::rgba, 3, ColourRange::video) == 0.85, "range: R G B");
  expect(mog::resolve({.shadow_threshold = 0.7f}, Method::zivkovic, PixelFormat::nv12, 3, ColourRange::video)
                 .shadow_threshold == double(0.7f),
         "range: a threshold that is set holds in each range");
  Rig rig;
  Picture p = ground();
  rig.learn(p, 30);
  rig.format.full_range = false;
  rig.model.set_format(rig.format);
  expect(rig.model.prepare(rig.settings, *rig.queue) && rig.model.frames() == 30,
         "range: another one is another model, which knows what was learnt");
}

void cleanup_of_the_mask() {
  Rig rig;
  CleanupStage stage(*rig.device);
  rig.start(stage);
  Picture mask, counts;
  mask.at(20, 20) = 255;
  mask.fill(60, 40, 20, 20, 255);
  mask.fill(120, 40, 20, 20, 255);
  counts.fill(0, 0, 100, height, 255);
  FrameContext f = rig.frame(stage);
  f.mask = mask.image().plane(0);
  f.roi.mask = counts.image().plane(0);
  rig.submit(stage, f);
  expect(mask.at(20, 20) == 0 && mask.at(70, 50) == 255, "cleanup: single pixels go");
  expect(mask.at(130, 50) == 0, "cleanup: nothing is left outside the region of interest");
  rig.settings.cleanup = {.median = 0, .open = 0, .close = 0};
  expect(!stage.is_on(rig.settings), "cleanup: off where nothing is to be done");
}

// An object of 4 x 4 pixels goes from left to right by half a pixel a frame; the median of 7 removes it.
void small_objects() {
  Rig rig;
  CleanupStage stage(*rig.device);
  SmallObjectsStage restores(stage);
  rig.start(stage);
  FrameContext f = rig.frame(stage);
  int kept = 0, first = 0;
  std::ptrdiff_t measured = 0; // pixels that are in the mask before small objects are restored
  const auto step = [&](Picture &mask) {
    f.mask = mask.image().plane(0);
    f.small_objects = nullptr; // as the list does
    FrameGroup group = rig.submit(stage, f);
    measured += std::count(mask.bytes.begin(), mask.bytes.end(), 255);
    FrameContext *const one = &f;
    group.frames = {&one, 1};
    restores.submit(group, rig.feedback, *rig.queue);
    stage.finish(f, rig.feedback, *rig.queue);
  };
  const auto pass = [&](int frames) {
    kept = first = 0;
    for (int i = 1; i <= frames; i++) {
      Picture mask;
      const int x = 10 + i / 2;
      mask.fill(x, 60, 4, 4, 255);
      step(mask);
      if (mask.at(x + 1, 61) != 255) continue;
      kept++;
      if (first == 0) first = i;
    }
  };
  pass(10);
  expect(kept == 0, "small-objects: nothing is known of the picture at first");
  for (int i = 0; i < 100; i++) {
    Picture mask;
    step(mask);
  }
  pass(200);
  expect(first == 3 && kept == 198, "small-objects: kept from the third frame, " + std::to_string(first) +
                                        ", on: " + std::to_string(kept));

  // Specks at one place again and again, as of a branch: that place is left to the median, others are not.
  bool branch = false, other = false;
  for (int i = 0; i < 400; i++) {
    Picture mask;
    if (i % 8 < 4) mask.fill(100, 90, 4, 4, 255);
    if (i > 380) mask.fill(30, 20, 4, 4, 255);
    step(mask);
    if (i > 380) branch |= mask.at(101, 91) == 255;
    other |= mask.at(31, 21) == 255;
  }
  expect(!branch, "small-objects: no specks where they come again and again");
  expect(other, "small-objects: elsewhere they are kept");
  expect(measured == 0, "small-objects: none is in the mask before they are restored, but " +
                            std::to_string(measured) + " pixels");

  // Many specks: rain, noise.
  std::mt19937 random(3);
  std::size_t many = 0;
  for (int i = 0; i < 300; i++) {
    Picture mask;
    if (i % 3 == 0) random.seed(unsigned(i));
    auto places = random; // the same for three frames
    for (int n = 0; n < 60; n++)
      mask.fill(int(places() % (width - 4)), int(places() % (height - 4)), 3, 3, 255);
    step(mask);
    if (i >= 200) many += std::size_t(std::count(mask.bytes.begin(), mask.bytes.end(), 255));
  }
  expect(many < 200, "small-objects: nearly nothing of many specks is kept: " + std::to_string(many) +
                         " pixels in 100 frames");

  const auto none = [&](const char *what) {
    expect(!restores.is_on(rig.settings), what);
    for (int i = 0; i < 100; i++) {
      Picture still;
      step(still);
    }
    f.settings = rig.settings;
    Picture mask;
    for (int i = 0; i < 5; i++) {
      mask = {};
      mask.fill(30, 20, 4, 4, 255);
      step(mask);
    }
    expect(mask.at(31, 21) == 0 && !f.small_objects && rig.feedback.small_objects.empty(), what);
  };
  rig.settings.tuning.small_objects = false;
  none("small-objects=false: none is kept");
  f.settings = rig.settings = Settings();
  rig.settings.output = Output::passthrough;
  none("small-objects: where nobody sees the mask none is looked for");
  rig.settings.reports.attach_mask = true;
  expect(restores.is_on(rig.settings), "small-objects: an attached mask has them");
}

void blobs_of_the_mask() {
  Rig rig;
  BlobsStage stage(*rig.device);
  rig.start(stage);
  Picture mask, p = ground();
  mask.fill(8, 8, 20, 20, 255);
  mask.fill(100, 60, 30, 10, 255);
  mask.fill(60, 100, 3, 3, 255);
  mask.fill(60, 50, 3, 3, 127);
  FrameContext f = rig.frame(stage, &p);
  f.mask = mask.image().plane(0);
  rig.run(stage, f);
  const Detections &d = f.detections;
  expect(d.boxes.size() == 2 && d.boxes[0].area == 400 && d.boxes[1].x == 100, "blobs: largest first");
  expect(d.foreground == 709 && d.shadow == 9 && d.area() == 700, "blobs: pixels are counted");
  const cell_grid::Grid &grid = rig.format.grid;
  const auto cell = [&](int x, int y) {
    return d.cells[std::size_t(y / grid.size * grid.columns + x / grid.size)];
  };
  expect(cell(10, 10) == 1 && cell(61, 101) == 0, "blobs: cells of reported blobs are marked");
}

void contours() {
  Rig rig;
  ContoursStage stage(*rig.device);
  rig.start(stage);
  Picture bare, thing, mask;
  thing.fill(40, 40, 30, 30, 200);
  mask.fill(40, 40, 30, 30, 255);
  FrameContext f = rig.frame(stage, &thing, 0.2);
  f.mask = mask.image().plane(0);
  rig.submit(stage, f);
  expect(f.contours.edges.empty(), "contours: none without a background");
  f.background = bare.image();
  rig.submit(stage, f);
  ghost::Cell sum;
  for (const ghost::Cell &c : f.contours.edges) sum += c;
  expect(sum.outline == 116 && sum.frame > 0 && sum.background == 0, "contours: the object's edges");
  expect(f.contours.due, "contours: due after 0.2 s");
}

void light_jump() {
  Rig rig;
  LightJumpStage stage;
  rig.start(stage);
  const auto see = [&](double changed, bool first = false) {
    FrameContext f = rig.frame(stage);
    f.learning.first = first;
    f.detections.boxes = {{0, 0, 10, 10, 100}};
    f.detections.foreground = std::uint64_t(changed * width * height);
    stage.finish(f, rig.feedback, *rig.queue);
    return f;
  };
  expect(see(1, true).detections.dropped && !rig.feedback.requests.relearn,
         "light-jump: not a model's first");
  expect(see(0.1).detections.boxes.size() == 1, "light-jump: a steady light keeps the boxes");
  const FrameContext jumped = see(0.9);
  expect(jumped.report.light == Report::Light::jumped && jumped.detections.boxes.empty(),
         "light-jump: a jump");
  expect(near(jumped.report.changed_fraction, 0.9, 1e-3), "light-jump: with its share of the picture");
  expect(rig.feedback.requests.relearn && rig.feedback.requests.recall_light,
         "light-jump: it asks for that light");
  rig.feedback = {};
  for (int i = 0; i < Feedback::relearn_frames; i++)
    expect(see(0.1).report.light == Report::Light::relearning, "light-jump: 30 frames say nothing");
  expect(!rig.feedback.requests.recall_light, "light-jump: no light is looked for when little changed");
  expect(see(0.1).report.light == Report::Light::steady, "light-jump: then it is steady");
  rig.settings.tuning.light_jump = 0;
  expect(see(0.9).report.light == Report::Light::steady && rig.feedback.requests.stop_relearning,
         "light-jump: 0 turns it off");
}

// A box over 2x2 cells whose outline says what `edge` and `rim` say in each of them.
struct Outlined {
  std::vector<ghost::Cell> edges;
  std::vector<ghost::BoundaryContrast> rims;
  Outlined(Rig &rig, FrameContext &f, const ghost::Cell &edge, const ghost::BoundaryContrast &rim)
      : edges(std::size_t(rig.format.grid.cells())), rims(edges.size()) {
    const cell_grid::Grid &g = rig.format.grid;
    for (const int cell : {g.columns + 1, g.columns + 2, 2 * g.columns + 1, 2 * g.columns + 2}) {
      f.detections.cells[std::size_t(cell)] = 1;
      edges[std::size_t(cell)] = edge;
      rims[std::size_t(cell)] = rim;
    }
    f.detections.boxes = {{g.size, g.size, 2 * g.size, 2 * g.size, 4 * edge.pixels}};
    f.contours = {edges, rims, true};
  }
};
constexpr ghost::Cell flat{.pixels = 50, .outline = 10, .frame = 100, .background = 100};
constexpr ghost::BoundaryContrast goes_on{.pixels = 10, .inside = 200, .outside = 180},
    ends{.pixels = 10, .inside = 500};

void local_light() {
  Rig rig;
  ghost::StationaryRegions regions;
  regions.reset(rig.format.grid);
  LocalLightStage stage(regions);
  rig.start(stage);
  FrameContext lit = rig.frame(stage);
  const Outlined light(rig, lit, flat, goes_on);
  stage.finish(lit, rig.feedback, *rig.queue);
  expect(lit.detections.boxes.empty(), "local-light: light is no detection");
  FrameContext f = rig.frame(stage);
  const Outlined thing(rig, f, flat, ends);
  stage.finish(f, rig.feedback, *rig.queue);
  expect(f.detections.boxes.size() == 1, "local-light: an object is one");
}

void motion_gate() {
  Rig rig;
  MotionGateStage stage;
  rig.start(stage);
  FrameContext f = rig.frame(stage);
  f.detections.boxes = {{0, 0, 20, 20, 192}};
  stage.finish(f, rig.feedback, *rig.queue);
  expect(near(f.report.changed_fraction, 0.01, 1e-9) && near(f.report.moving_fraction, 0.01, 1e-9),
         "motion-gate: without outlines all boxes are motion");
  const std::vector<std::uint8_t> lit(f.detections.cells.size());
  FrameContext faded = rig.frame(stage);
  const Outlined light(rig, faded, flat, goes_on);
  faded.detections.lit = lit;
  stage.finish(faded, rig.feedback, *rig.queue);
  expect(faded.report.changed_fraction > 0 && faded.report.moving_fraction == 0,
         "motion-gate: a difference that goes on is none");
  FrameContext dropped = rig.frame(stage);
  dropped.detections.dropped = true;
  dropped.report.changed_fraction = 0.9;
  stage.finish(dropped, rig.feedback, *rig.queue);
  expect(dropped.report.changed_fraction == 0.9, "motion-gate: a dropped frame keeps its share");
}

void ghosts() {
  Rig rig;
  GhostsStage stage;
  rig.start(stage);
  const ghost::Cell bare{.pixels = 50, .outline = 10, .frame = 20, .background = 900};
  FrameContext last;
  for (int i = 0; i < 20; i++) {
    last = rig.frame(stage, nullptr, 0.1);
    const Outlined outlined(rig, last, bare, {});
    stage.finish(last, rig.feedback, *rig.queue);
  }
  expect(last.detections.boxes[0].ghost && last.report.ghost_cells == 4, "ghosts: the ground is laid bare");
  const std::size_t cell = std::size_t(rig.format.grid.columns) + 1;
  expect(!rig.feedback.adaptation.empty() &&
             rig.feedback.adaptation[cell] == std::uint8_t(ghost::AdaptationRate::at_once),
         "ghosts: it is learnt at once");
  stage.turned_off(last, rig.feedback);
  expect(rig.feedback.adaptation.empty(), "ghosts: the map goes when they are turned off");
}

void compose_output() {
  Rig rig;
  rig.format.style.black = {16, 128, 128};
  rig.format.style.box = {255, 255, 255};
  ComposeStage stage(*rig.device, rig.model);
  rig.start(stage);
  Picture p = ground(), mask, out;
  mask.fill(40, 40, 30, 30, 255);
  FrameContext f = rig.frame(stage, &p);
  f.output = out.image();
  f.mask = mask.image().plane(0);
  f.settings.output = Output::foreground;
  rig.run(stage, f);
  expect(out.at(50, 50) == p.at(50, 50) && out.at(5, 5) == 16, "compose: the foreground is cut out");
  f.settings.output = Output::overlay;
  f.detections.boxes = {{10, 10, 20, 20, 300}};
  out = {};
  f.output = out.image();
  rig.submit(stage, f);
  expect(out.at(10, 15) == 0, "compose: an overlay waits for the boxes");
  stage.finish(f, rig.feedback, *rig.queue);
  expect(out.at(10, 15) == 255 && out.at(100, 100) == p.at(100, 100), "compose: then it is drawn");
  rig.settings.output = Output::mask;
  expect(!stage.is_on(rig.settings), "compose: a mask comes out as it is");
}

int run() {
  const std::vector<vigil::test::Case> cases = {
      {"roi", roi},
      {"tamper", tamper},
      {"recall light", recall_light},
      {"views", views},
      {"learning rate", learning_rate},
      {"background", background},
      {"stabilize", stabilize},
      {"exposure is undone", exposure_is_undone},
      {"mixture", mixture},
      {"range", range},
      {"cleanup of the mask", cleanup_of_the_mask},
      {"small objects", small_objects},
      {"blobs of the mask", blobs_of_the_mask},
      {"contours", contours},
      {"light jump", light_jump},
      {"local light", local_light},
      {"motion gate", motion_gate},
      {"ghosts", ghosts},
      {"compose output", compose_output},
  };
  return vigil::test::run_cases("stages-test", cases);
}

} // namespace

int main() {
  return run();
}
