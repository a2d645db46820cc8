// SPDX-License-Identifier: LGPL-2.1-or-later
// The detector's parts that know no network: what an output says, which track is looked at next, who waits.
#include "common/error.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/detector/answer.h"
#include "tools/vigil-monitor/detector/crop_plan.h"
#include "tools/vigil-monitor/detector/detector.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using vigil::test::expect;

namespace {

constexpr Rect middle{0.25, 0.25, 0.5, 0.5};

DetectorConfig config_of(DetectorLayout layout) {
  DetectorConfig c;
  c.model = "model.onnx";
  c.layout = layout;
  c.width = c.height = 100;
  c.classes = {"person", "car"};
  return c;
}

bool is(const std::optional<Finding> &f, std::size_t cls, double score) {
  return f && f->cls == cls && std::abs(f->score - score) < 1e-3;
}

std::string refused(const NetworkOutput &out, DetectorLayout layout, std::size_t classes = 2) {
  try {
    check_output(out, config_of(layout), classes);
  } catch (const Error &e) {
    return e.what();
  }
  return "";
}

void classes() {
  const DetectorConfig c = config_of(DetectorLayout::classes);
  expect(is(finding_at(middle, {{1, 2}, {0.2f, 0.8f}}, c, 2), 1, 0.8), "probabilities are scores");
  expect(is(finding_at(middle, {{1, 2}, {3, 1}}, c, 2), 0, 1 / (1 + std::exp(-2.))), "others go by softmax");
  DetectorConfig strict = c;
  strict.threshold = 0.9;
  expect(!finding_at(middle, {{1, 2}, {0.2f, 0.8f}}, strict, 2), "below the threshold nothing is found");
  expect(!finding_at(middle, {{1, 3}, {1, 0, 0}}, c, 2), "an output of another size finds nothing");
  const float none = std::numeric_limits<float>::quiet_NaN();
  expect(!finding_at(middle, {{1, 2}, {none, none}}, c, 2), "no numbers, no finding");
}

// One cell of two by two, the one at the right below, has an object of half the size, whose centre is moved.
void fastestdet() {
  constexpr std::size_t cells = 4, fields = 7;
  NetworkOutput out{{1, fields, 2, 2}, std::vector<float>(fields * cells)};
  const auto set = [&](std::size_t field, float v) { out.values[field * cells + 3] = v; };
  set(0, 0.9f);
  set(1, std::atanh(-0.5f));
  set(2, std::atanh(-0.5f));
  set(6, 0.8f);
  const auto f = finding_at({0.05, 0.05, 0.5, 0.5}, out, config_of(DetectorLayout::fastestdet), 2);
  expect(is(f, 1, std::pow(0.9, 0.6) * std::pow(0.8, 0.4)), "class and score");
  expect(f && std::abs(f->box.x) < 1e-6 && std::abs(f->box.width - 0.5) < 1e-6,
         "the centre is at a quarter, and the sides are a half");
  expect(!finding_at({0.6, 0.6, 0.3, 0.3}, out, config_of(DetectorLayout::fastestdet), 2),
         "it is not at another place");
}

void yolo() {
  const std::vector<float> person{50, 50, 40, 60, 0.9f, 0.8f, 0.1f}, car{20, 20, 20, 20, 0.9f, 0, 1},
      weak{50, 50, 50, 50, 0.4f, 0.5f, 0};
  NetworkOutput five{{1, 3, 7}, {}};
  for (const auto &row : {car, person, weak}) five.values.insert(five.values.end(), row.begin(), row.end());
  expect(is(finding_at(middle, five, config_of(DetectorLayout::yolov5), 2), 0, 0.72), "the one that fits");
  expect(is(finding_at({0.1, 0.1, 0.2, 0.2}, five, config_of(DetectorLayout::yolov5), 2), 1, 0.9),
         "the other one at its place");
  // Of YOLOv8 each field of all boxes in turn, and no objectness.
  const NetworkOutput eight{{1, 6, 2}, {20, 50, 20, 50, 20, 40, 20, 60, 0, 0.7f, 0.9f, 0.2f}};
  expect(is(finding_at(middle, eight, config_of(DetectorLayout::yolov8), 2), 0, 0.7), "the layout of YOLOv8");
}

void wrong_outputs() {
  expect(refused({{1, 2}, {0, 1}}, DetectorLayout::classes).empty(), "two values are two classes");
  const std::string three = refused({{1, 3}, {0, 0, 1}}, DetectorLayout::classes);
  expect(three.find("1x3") != three.npos && three.find("2 classes") != three.npos &&
             three.find("set layout") != three.npos,
         "the output, what was expected, and what to do: " + three);
  for (const DetectorLayout l :
       {DetectorLayout::fastestdet, DetectorLayout::yolov5, DetectorLayout::yolov8}) {
    expect(!refused({{}, {}}, l).empty(), "nothing");
    expect(!refused({{1, 1}, {0}}, l).empty(), "one value");
    expect(!refused({{1, 85, 22, 22}, std::vector<float>(85 * 22 * 22)}, l).empty(),
           "80 classes are not two");
  }
  expect(refused({{1, 7, 2, 2}, std::vector<float>(28)}, DetectorLayout::fastestdet).empty(),
         "as it should be");
  expect(refused({{1, 4, 7}, std::vector<float>(28)}, DetectorLayout::yolov5).empty(), "as it should be");
  expect(refused({{1, 6, 4}, std::vector<float>(24)}, DetectorLayout::yolov8).empty(), "as it should be");
  expect(!refused({{1, 7, 4}, std::vector<float>(28)}, DetectorLayout::yolov5).empty(),
         "turned by 90 degrees");
  expect(!refused({{1, 7, 0, 4}, std::vector<float>(28)}, DetectorLayout::fastestdet).empty(),
         "a shape that does not fit its values");
}

// Values that no network should give: all that they may cost is a name.
void odd_values() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity(),
                  huge = std::numeric_limits<float>::max();
  const auto says_nothing = [](const NetworkOutput &out, DetectorLayout l) {
    return refused(out, l).find("infinite or no number") != std::string::npos;
  };
  for (const float v : {nan, inf, -inf}) {
    expect(says_nothing({{1, 2}, {v, 0}}, DetectorLayout::classes), "a class without a number");
    expect(says_nothing({{1, 6, 2}, std::vector<float>(12, v)}, DetectorLayout::yolov8), "all of them");
    // One good box among bad ones is found.
    const NetworkOutput some{{1, 2, 7}, {v, v, v, v, v, v, v, 50, 50, 40, 60, 1, 1, 0}};
    expect(refused(some, DetectorLayout::yolov5).empty() &&
               is(finding_at(middle, some, config_of(DetectorLayout::yolov5), 2), 0, 1),
           "a good box after a bad one");
  }
  for (const float x : {huge, -huge, 0.f, 50.f, 1e20f})
    for (const float size : {huge, -huge, 0.f, 1e20f, nan}) {
      const NetworkOutput out{{1, 1, 7}, {x, x, size, size, 1, 1, 1}};
      expect(!finding_at(middle, out, config_of(DetectorLayout::yolov5), 2), "it fits no track");
    }
}

CropPlan::Track track(std::uint64_t id, double size = 0.1) {
  return {id, {0.2, 0.2, size, size}, 0.1, 0};
}

void plan_order() {
  CropPlan plan(10);
  expect(!plan.next(0), "no tracks");
  plan.see({track(1), track(2), track(3)}, 1);
  const auto first = plan.next(1.05);
  expect(first && first->id == 3, "the newest first");
  expect(first && std::abs(first->box.x - 0.205) < 1e-9, "where it will be");
  expect(!plan.next(1.1), "not before its time by the rate");
  expect(plan.next(1.16)->id == 2 && plan.next(1.27)->id == 1, "then the others");
  plan.see({track(1), track(2), track(3)}, 1.5);
  expect(!plan.next(1.5), "all were looked at");
  plan.see({track(1), track(2, 0.2), track(3)}, 2.4);
  expect(plan.next(2.4)->id == 2, "the one that has grown");
  plan.see({track(1), track(2, 0.2), track(3), track(4)}, 6);
  expect(plan.next(6)->id == 4, "a new one before those that wait for a second look");
  expect(plan.next(6.2)->id == 3, "the one looked at longest ago");
  plan.see({}, 7);
  expect(!plan.next(7), "tracks that are gone are not looked at");
  plan.see({track(9)}, 8);
  expect(!plan.next(11), "nor where they were long ago");
}

// However long a track stays, it is looked at a few times.
void plan_limits() {
  CropPlan plan(2);
  int looks = 0;
  for (double t = 0; t < 600; t += 0.1) {
    plan.see({track(1)}, t);
    looks += plan.next(t).has_value();
  }
  expect(looks == CropPlan::most_looks, text(looks, " looks at one track"));
  CropPlan hides(2);
  looks = 0;
  for (int n = 0; n < 600; n++) { // hidden in every second frame
    hides.see(n % 2 ? std::vector<CropPlan::Track>{} : std::vector{track(1)}, n / 10.);
    looks += hides.next(n / 10.).has_value();
  }
  expect(looks == CropPlan::most_looks, text(looks, " looks at a track that hides"));
  CropPlan busy(2);
  looks = 0;
  for (int n = 0; n < 100; n++) { // ten new tracks a frame, ten frames a second
    std::vector<CropPlan::Track> all;
    for (int i = 0; i < 10; i++) all.push_back(track(static_cast<std::uint64_t>(n * 10 + i + 1)));
    busy.see(all, n / 10.);
    looks += busy.next(n / 10.).has_value();
  }
  expect(looks >= 18 && looks <= 21, text(looks, " looks in ten seconds at two a second"));
  busy.see({track(1)}, 1);
  expect(busy.next(1).has_value(), "a stream that begins again");
}

// A gate that holds the inferences.
struct Gate {
  std::mutex lock;
  std::condition_variable changed;
  int open = 0;
  std::vector<std::string> order;
  bool wait_for(std::size_t answers) {
    std::unique_lock guard(lock);
    return changed.wait_for(guard, std::chrono::seconds(20), [&] { return order.size() >= answers; });
  }
  void let(int n) {
    const std::lock_guard guard(lock);
    open += n;
    changed.notify_all();
  }
};

void queue() {
  Gate gate;
  std::vector<std::string> log;
  const Detector::Run run = [&](std::span<const std::uint8_t>) -> NetworkOutput {
    std::unique_lock guard(gate.lock);
    gate.changed.wait(guard, [&] { return gate.open > 0; });
    gate.open--;
    return {{1, 2}, {0.1f, 0.9f}};
  };
  DetectorConfig config = config_of(DetectorLayout::classes);
  config.labels = {{"car", "vehicle"}};
  Detector d(
      config, [](const std::string &) {}, [&](const DetectorConfig &) { return run; });
  const auto look = [&](const std::string &camera, const std::string &name) {
    d.look(camera, {{}, middle}, [&, name](const std::string &label, double score) {
      expect(label == "vehicle" && std::abs(score - 0.9) < 1e-6, "the class by its label");
      const std::lock_guard guard(gate.lock);
      gate.order.push_back(name);
      gate.changed.notify_all();
    });
  };
  look("a", "first");
  for (int i = 0; i < 2000 && !d.takes(); i++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  gate.let(1);
  expect(gate.wait_for(1), "an answer");
  look("a", "held"); // goes to the network at once, or waits as the others do
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  for (const char *name : {"a1", "a2", "a3", "a4"}) look("a", name);
  look("b", "b1");
  gate.let(100);
  expect(gate.wait_for(5), "the others");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::vector<std::string> wanted{"first", "held", "b1", "a4", "a3"};
  expect(gate.order == wanted, text("cameras take turns, the newest first, old ones left out: ",
                                    nlohmann::json(gate.order).dump()));
  const auto said = d.describe();
  expect(said["state"] == "ready" && said["inferences"] == 5 && said["left_out"] == 2 && said["named"] == 5 &&
             said["refused"] == 0 && said["waiting"] == 0 && said["classes"] == 2,
         said.dump());
}

void figures() {
  DetectorFigures f;
  expect(f.describe()["inference_seconds"].is_null(), "no time without an inference");
  for (const double seconds : {3., 1., 2.}) f.add({.seconds = seconds, .cpu_seconds = seconds / 2});
  f.add({.seconds = 100, .refused = true});
  f.add({.seconds = 0.5, .named = true});
  f.leave_out();
  const auto said = f.describe();
  expect(said["inferences"] == 5 && said["named"] == 1 && said["refused"] == 1 && said["left_out"] == 1 &&
             said["cpu_seconds"] == 3. && said["inference_seconds"] == 2.,
         said.dump());
  for (int i = 0; i < 99; i++) f.add({.seconds = 7});
  expect(f.describe()["inference_seconds"] == 7., "the last 99 alone");
  for (int i = 0; i < 49; i++) f.add({.seconds = 1});
  expect(f.describe()["inference_seconds"] == 7., "fewer than half of them");
  f.add({.seconds = 1});
  expect(f.describe()["inference_seconds"] == 1., "more than half of them");
}

// An answer that cannot be read is no end: the next one names its track.
void refusals() {
  std::mutex lock;
  std::vector<std::string> log;
  std::atomic<int> runs = 0, answers = 0;
  DetectorConfig config = config_of(DetectorLayout::classes);
  config.model = "odd.onnx";
  const Detector::Run run = [&](std::span<const std::uint8_t>) -> NetworkOutput {
    switch (runs++) {
    case 0:
      return {{1, 2}, {std::nanf(""), 0}};
    case 1:
      return {{1, 3}, {0, 0, 1}};
    case 2:
      fail(Error::Kind::bad_data, "odd.onnx takes no such picture");
    default:
      return {{1, 2}, {0.1f, 0.9f}};
    }
  };
  Detector d(
      config,
      [&](const std::string &line) {
        const std::lock_guard guard(lock);
        log.push_back(line);
      },
      [&](const DetectorConfig &) { return run; });
  for (int i = 1; i <= 4; i++) {
    d.look("a", {{}, middle}, [&](const std::string &, double) { answers++; });
    for (int n = 0; n < 3000 && d.describe()["inferences"] != i; n++)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (int n = 0; n < 3000 && !answers; n++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const auto said = d.describe();
  expect(said["state"] == "ready" && said["inferences"] == 4 && said["refused"] == 3 && said["named"] == 1 &&
             answers == 1 && said["reason"] == "odd.onnx takes no such picture",
         said.dump());
  const std::lock_guard guard(lock);
  const auto lines = std::count_if(log.begin(), log.end(), [](const std::string &line) {
    return line.find("only counted") != line.npos && line.find("odd.onnx: the model's output") != line.npos;
  });
  expect(lines == 1, "the first one is reported, and no other: " + nlohmann::json(log).dump());
}

void failures() {
  std::mutex lock;
  std::string log;
  const auto wait = [&](Detector &d) {
    for (int i = 0; i < 2000 && d.describe()["state"] != "failed"; i++)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  const auto keep = [&](const std::string &line) {
    const std::lock_guard guard(lock);
    log += line + "\n";
  };
  {
    Detector d(config_of(DetectorLayout::classes), keep, [](const DetectorConfig &) -> Detector::Run {
      fail(Error::Kind::bad_data, "model.onnx is no model");
      return {};
    });
    wait(d);
    d.look("a", {{}, middle}, [](const std::string &, double) { expect(false, "no answer"); });
    expect(!d.takes() && d.describe()["reason"] == "model.onnx is no model", d.describe().dump());
    expect(log.find("model.onnx is no model") != log.npos && log.find("events have no names") != log.npos,
           log);
  }
  {
    Detector d(config_of(DetectorLayout::classes), keep, [](const DetectorConfig &) -> Detector::Run {
      return [](std::span<const std::uint8_t>) -> NetworkOutput { throw std::runtime_error("no memory"); };
    });
    d.look("a", {{}, middle}, [](const std::string &, double) { expect(false, "no answer"); });
    wait(d);
    expect(d.describe()["reason"] == "no memory", "an inference that fails ends it");
  }
  DetectorConfig c = config_of(DetectorLayout::classes);
  c.labels = {{"cat", "animal"}};
  Detector d(c, keep, [](const DetectorConfig &) -> Detector::Run { return {}; });
  wait(d);
  const std::string why = d.describe()["reason"];
  expect(why.find("'cat'") != why.npos && why.find("no class of the model") != why.npos, why);
  c.labels.clear();
  c.classes.clear();
  c.classes_file = "/nonexistent/names";
  Detector missing(c, keep, [](const DetectorConfig &) -> Detector::Run { return {}; });
  wait(missing);
  expect(missing.describe()["reason"].get<std::string>().find("/nonexistent/names") != std::string::npos,
         missing.describe().dump());
}

} // namespace

int main() {
  return test::run_cases("monitor detector", {{"classes", classes},
                                              {"fastestdet", fastestdet},
                                              {"yolo", yolo},
                                              {"wrong outputs", wrong_outputs},
                                              {"odd values", odd_values},
                                              {"plan: order", plan_order},
                                              {"plan: limits", plan_limits},
                                              {"queue", queue},
                                              {"figures", figures},
                                              {"refusals", refusals},
                                              {"failures", failures}});
}
