// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of a camera from their causes, its state and outages, its counts; without GStreamer, by a clock of
// the test. Usage: test-monitor-events FOLDER
#include "tests/unit.h"
#include "tools/vigil-monitor/camera/activity_report.h"
#include "tools/vigil-monitor/camera/camera_state.h"
#include "tools/vigil-monitor/camera/device_events.h"
#include "tools/vigil-monitor/camera/event_tracker.h"
#include "tools/vigil-monitor/camera/rule_counts.h"
#include "tools/vigil-monitor/camera/said_once.h"
#include "tools/vigil-monitor/camera/stays.h"
#include "tools/vigil-monitor/camera/still_picture.h"
#include "tools/vigil-monitor/camera/trouble.h"
#include "tools/vigil-monitor/camera/turning.h"
#include "tools/vigil-monitor/camera/view_models.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;

namespace {

constexpr double utc_less_steady = 1'000'000;
std::string test_folder = "monitor-events"; // where files may be written

// Remembers all that a camera says.
class News final : public CameraNews {
 public:
  struct Said {
    std::string type;
    Event event;
  };
  const Utc &utc() const override { return utc_; }
  std::string file(const std::string &below) const override { return "/storage/" + below; }
  void log(const std::string &line) override { lines.push_back(line); }
  void announce(const std::string &, const nlohmann::json &j) override { announced.push_back(j); }
  void event(const char *type, const Event &e) override { said.push_back({type, e}); }
  void thumbnail(const Event &e, Bytes) override { thumbnails[e.id]++; }
  void vector(const Event &e, std::vector<float> v) override { vectors[e.id] = std::move(v); }
  void crossing(const std::string &, const std::string &, double, bool) override {}
  void heat(const std::string &, double time, std::vector<float>) override { heats.push_back(time); }
  void motion(const std::string &, const MovedSeconds &moved) override { moved_cells += moved.size(); }

  std::vector<Event> all(const std::string &type) const {
    std::vector<Event> out;
    for (const Said &s : said)
      if (s.type == type) out.push_back(s.event);
    return out;
  }

  double steady = 100, set = 0; // seconds of the monotonic clock; by which the system's clock was set
  std::vector<Said> said;
  std::vector<std::string> lines;
  std::vector<nlohmann::json> announced;
  std::map<std::string, int> thumbnails;
  std::map<std::string, std::vector<float>> vectors;
  std::vector<double> heats;
  std::size_t moved_cells = 0;
  Utc utc_{[this] { return utc_less_steady + steady + set; }, [this] { return steady; }};
};

class Clips final : public EventClips {
 public:
  Kind begin_clip(const std::string &event, const std::string &path, double time, double utc) override {
    if (!takes) return Kind::none;
    begun[event] = time;
    paths[event] = path;
    offset = utc;
    return records_all ? Kind::part_of_recording : Kind::file;
  }
  void end_clip(const std::string &event, double time) override { ended[event] = time; }

  bool takes = true, records_all = false;
  double offset = 0;
  std::map<std::string, double> begun, ended;
  std::map<std::string, std::string> paths;
};

struct Scene {
  Scene() {
    config.name = "yard";
    config.record.post_capture = 5;
    config.record.max_clip = 60;
    config.zones["gate"].points = {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}};
  }
  double now() const { return news.utc().now(); }
  void pass(double seconds, bool frames = true) {
    for (double end = news.steady + seconds; news.steady < end - 1e-9;) {
      news.steady += std::min(1.0, end - news.steady);
      if (frames) feed->seen = news.steady;
      events.tick();
    }
  }
  void motion(double score = 0.1) { events.begin({"motion", now(), score, "", "", false, false}); }

  CameraConfig config;
  News news;
  Clips clips;
  std::shared_ptr<CameraFeed> feed = std::make_shared<CameraFeed>(5);
  RuleCounts counts;
  EventTracker events{config, news, feed, clips, counts};
};

bool near(double a, double b) {
  return std::abs(a - b) < 1e-6;
}

// Where all is recorded the clip is a part of the recording, which a killed program finds again.
void part_of_recording() {
  Scene s;
  s.clips.records_all = true;
  const double began = s.now();
  s.motion();
  const Event first = s.news.said.at(0).event;
  expect(first.of_recording && first.clip_start &&
             near(*first.clip_start, began - s.config.record.pre_capture) && !first.has_clip,
         "its beginning says so");
  s.events.end("motion", s.now());
  s.pass(7);
  ClipResult result;
  result.good = true;
  result.start = began - 4;
  result.end = began + 6;
  result.bytes = 1000;
  s.events.clip_finished(first.id, result);
  const Event whole = s.news.said.back().event;
  expect(whole.has_clip && whole.of_recording && whole.clip_end && near(*whole.clip_end, began + 6) &&
             near(*whole.clip_start, began - 4) && to_json(whole)["clip_end"] == *whole.clip_end,
         "its span");
  s.motion();
  const Event second = s.news.said.back().event;
  s.events.end("motion", s.now());
  s.pass(7);
  s.events.clip_finished(second.id, {});
  expect(!s.news.said.back().event.has_clip && !s.news.said.back().event.of_recording &&
             to_json(s.news.said.back().event)["clip_start"].is_null(),
         "nothing was recorded");
}

void one_event() {
  Scene s;
  const double began = s.now();
  s.motion();
  expect(s.news.said.size() == 1 && s.news.said[0].type == "new", "an event is announced at once");
  const Event first = s.news.said.at(0).event;
  expect(first.camera == "yard" && first.label == "motion" && near(first.start_time, began), "its beginning");
  expect(near(s.clips.begun[first.id], 100) && near(s.clips.offset, utc_less_steady), "its clip's clock");
  expect(s.clips.paths[first.id] == "/storage/" + clip_path(first), "its clip's file");
  expect(s.feed->wants_picture, "it wants a picture");
  s.feed->see({{0.1, 0.1, 0.2, 0.2}}, 0.4);
  s.events.entered("gate");
  s.pass(1);
  const Event seen = s.news.all("update").back();
  expect(seen.zones == std::vector<std::string>{"gate"} && seen.box && near(seen.score, 0.4),
         "zone, box and score of what was seen");
  s.events.picture(std::make_shared<const std::string>("jpeg"));
  s.events.picture(std::make_shared<const std::string>("jpeg"));
  expect(s.news.thumbnails[first.id] == 1, "one picture of an object that does not grow");
  s.feed->see({{0.1, 0.1, 0.4, 0.4}}, 0.2);
  s.pass(1);
  s.events.picture(std::make_shared<const std::string>("jpeg"));
  expect(s.news.thumbnails[first.id] == 2, "another of a much larger one");
  s.feed->set_vector({1, 2});
  s.pass(1);
  expect(s.news.vectors[first.id].size() == 2, "its vector");

  const double quiet = s.now();
  s.events.end("motion", quiet);
  s.pass(4);
  expect(s.news.all("end").empty(), "it lasts while its cause may come again");
  s.motion();
  s.pass(10);
  expect(s.news.all("new").size() == 1 && s.news.all("end").empty(), "which makes it the same event");
  const double over = s.now();
  s.events.end("motion", over);
  s.pass(5);
  expect(s.news.all("end").size() == 1 && near(*s.news.all("end")[0].end_time, over),
         "it ends where its cause did");
  expect(near(s.clips.ended[first.id], s.news.utc().steady(over) + 5), "its clip ends post_capture later");
  expect(!s.feed->wants_picture, "no picture is wanted any more");
  expect(s.events.awaits_clips(), "its clip is on its way");
  s.events.clip_finished(first.id, {true, "", began - 5, 1234});
  expect(!s.events.awaits_clips() && s.news.said.back().event.has_clip &&
             s.news.said.back().event.clip_bytes == 1234,
         "its clip is there");
}

void chain_is_late() {
  Scene s;
  s.feed->connected = s.news.steady;
  s.feed->seen = s.news.steady + 1;
  s.motion();
  s.events.end("motion", s.now());
  s.pass(9, false); // no frame was looked at since
  expect(s.news.all("end").empty(), "a chain that is late may still report motion");
  s.pass(5);
  expect(s.news.all("end").size() == 1, "the event ends once its frames were looked at");
}

void long_event() {
  Scene s;
  s.motion(0.3);
  s.pass(62);
  const auto begun = s.news.all("new"), ended = s.news.all("end");
  expect(begun.size() == 2 && ended.size() == 1, "an event longer than max_clip goes on as the next one");
  expect(near(*ended.at(0).end_time, begun.at(1).start_time) && near(begun.at(1).score, 0.3),
         "without a gap");
}

void broken_clip() {
  Scene s;
  s.motion(0.2);
  s.feed->see({{0.1, 0.1, 0.2, 0.2}}, 0.1);
  s.events.entered("gate");
  s.pass(2);
  const std::string first = s.news.all("new").at(0).id;
  s.events.clips_broke_off({first});
  expect(s.news.all("end").empty(), "a young event waits: a stream may change all the time");
  s.events.clip_finished(first, {true, "", s.now(), 10});
  s.pass(4);
  const auto begun = s.news.all("new"), ended = s.news.all("end");
  expect(begun.size() == 2 && ended.size() == 1 && ended.at(0).id == first && ended.at(0).has_clip,
         "then it ends, with its clip");
  expect(near(begun.at(1).start_time, *ended.at(0).end_time), "and another one follows at once");
  expect(s.clips.begun.count(begun.at(1).id), "with a clip of its own");
  s.pass(1);
  expect(s.news.said.back().event.id == begun.at(1).id || s.news.all("end").size() == 1, "which goes on");
  s.events.end("motion", s.now());
  s.pass(6);
  expect(s.news.all("end").size() == 2 && s.news.all("end").at(1).zones == std::vector<std::string>{"gate"},
         "in the zones of the first");
  expect(s.news.lines.size() == 1 && s.news.lines[0].find("changed") != std::string::npos, "the log says so");
}

void lost_clip() {
  Scene s;
  s.clips.takes = false;
  s.motion();
  s.events.end("motion", s.now());
  s.pass(6);
  expect(s.news.all("end").size() == 1 && !s.events.awaits_clips() && s.clips.ended.empty(),
         "an event without a stream has no clip");
  s.clips.takes = true;
  s.motion();
  s.events.end("motion", s.now());
  s.pass(45);
  expect(s.news.lines.size() == 1 && s.news.lines[0].find("still waits") != std::string::npos,
         "a clip that takes long is reported once");
  s.events.clip_finished(s.news.all("end").back().id, {false, "the disk is full", 0, 0});
  expect(s.news.lines.size() == 2 && s.news.lines[1].find("is lost: the disk is full") != std::string::npos &&
             !s.news.said.back().event.has_clip,
         "why there is none");
}

void clock_set() {
  Scene s;
  s.motion();
  s.pass(10);
  const double began = s.news.all("new").at(0).start_time;
  s.news.set = 3600;
  const double change = s.news.utc_.re_anchor();
  expect(near(change, 3600), "the clock was set");
  s.events.clock_set(change);
  const auto begun = s.news.all("new"), ended = s.news.all("end");
  expect(begun.size() == 2 && ended.size() == 1 && near(*ended[0].end_time, began + 10),
         "an event ends by the clock that it began by");
  expect(near(begun.at(1).start_time, began + 3610), "and goes on by the new one");
  expect(near(s.clips.ended[begun[0].id], 110 + 5), "the first clip ends at that moment");
}

void taken_down() {
  Scene s;
  s.motion();
  s.events.begin({"person", s.now(), 0.9, "", "", false, false});
  s.pass(3);
  s.events.end_now("motion");
  expect(s.news.all("end").size() == 1 && s.news.all("end")[0].label == "motion", "one event ends at once");
  s.events.end_all();
  expect(s.news.all("end").size() == 2 && near(*s.news.all("end")[1].end_time, s.now()), "then all others");
}

void loitering() {
  Scene s;
  Stays stays(s.events);
  stays.too_long({"gate", 7}, s.now(), 30);
  const Event first = s.news.all("new").at(0);
  expect(first.label == "loitering" && first.zones == std::vector<std::string>{"gate"} &&
             near(first.score, 30),
         "a stay makes an event");
  expect(near(s.clips.ended[first.id], 105), "with a clip of its beginning");
  s.pass(2);
  stays.too_long({"door", 8}, s.now(), 20);
  expect(s.news.all("new").size() == 1 && s.news.said.back().event.zones.size() == 2,
         "another stay meanwhile belongs to it");
  s.pass(100);
  expect(s.news.all("end").empty() && s.news.all("new").size() == 1, "it has no greatest length");
  stays.too_long({"gate", 9}, s.now(), 30);
  expect(s.news.all("new").size() == 2, "a stay after the clip is another event");
  stays.left({"gate", 7}, s.now(), 140);
  s.pass(6);
  expect(s.news.all("end").empty(), "it goes on while the other stay does");
  stays.keep_zones(s.config.zones, s.now()); // "door" is gone
  s.pass(6);
  expect(s.news.all("end").size() == 1 && near(s.news.all("end")[0].score, 140),
         "and ends with the last one; its score is the longest");
  stays.left({"gate", 9}, s.now(), 50);
  s.pass(6);
  expect(s.news.all("end").size() == 2, "the other event ends");
}

void trouble() {
  Scene s;
  CameraTrouble trouble(s.events);
  expect(CameraTrouble::is_label("camera-moved") && !CameraTrouble::is_label("camera-offline"), "labels");
  trouble.begin("camera-moved", s.now(), 0.3, Point{4, -2});
  const Event first = s.news.all("new").at(0);
  expect(near(first.score, 0.7) && trouble.shift() && trouble.describe().count("moved"), "a moved camera");
  s.feed->see({{0.1, 0.1, 0.2, 0.2}}, 0.1);
  s.pass(120);
  expect(s.news.all("end").empty() && s.news.all("update").empty() && near(s.clips.ended[first.id], 105),
         "one event without box and zone, and a clip of its beginning");
  trouble.clock_set(10);
  expect(near(trouble.describe()["moved"].get<double>(), first.start_time + 10), "since when");
  trouble.end("camera-moved", s.now());
  s.pass(6);
  expect(s.news.all("end").size() == 1 && !trouble.shift() && trouble.describe().empty(), "it is over");
}

void outages() {
  News news;
  CameraState state("yard", news);
  using Kind = CameraState::Kind;
  const auto pass = [&](double seconds) {
    for (double i = 0; i < seconds; i++) {
      news.steady++;
      state.tick();
    }
  };
  state.go(Kind::starting);
  pass(20);
  expect(news.said.empty() && news.announced.size() == 1, "a camera that starts is not away");
  state.go(Kind::online);
  state.go(Kind::online);
  expect(news.announced.size() == 2 && state.online(), "nothing is announced without a change");
  const double away = news.utc().now();
  state.go(Kind::offline, "no picture");
  pass(9);
  expect(news.said.empty(), "a short outage is no event");
  state.go(Kind::offline, "connection refused"); // the next try
  pass(2);
  expect(news.said.size() == 1 && news.said[0].event.label == "camera-offline" &&
             near(news.said[0].event.start_time, away),
         "a longer one is, since its beginning");
  expect(near(state.since(), away) && state.reason() == "connection refused", "with the last reason");
  pass(5);
  state.go(Kind::online);
  expect(news.said.size() == 2 && near(*news.said[1].event.end_time, away + 16), "until it is there again");
  state.go(Kind::offline, "no picture");
  pass(11);
  news.set = -3600;
  state.clock_set(news.utc_.re_anchor());
  const Event before = news.said.back().event;
  expect(before.end_time && near(*before.end_time, before.start_time + 11), "the clock was set meanwhile");
  pass(11);
  expect(news.said.size() == 5 && near(news.said[4].event.start_time, before.start_time + 11 - 3600),
         "it goes on by the new one");
}

void counts() {
  CameraConfig config;
  config.zones["gate"].points = {{0, 0}, {1, 0}, {1, 1}};
  config.zones["gate"].loiter_seconds = 20;
  config.lines["gate"].points = {{0, 0}, {1, 1}}; // a line may have a zone's name
  const auto rules = nlohmann::json::parse(RuleCounts::rules(config));
  expect(rules["zones"][0]["name"] == "gate" && rules["zones"][0]["loitering"] == 20, "a zone's rule");
  expect(RuleCounts::line_of(rules["lines"][0]["name"]) == "gate" && RuleCounts::line_of("gate").empty(),
         "a line's rule");
  RuleCounts counts;
  counts.set_inside("gate", 2);
  counts.set_crossed("gate", 3, 1);
  counts.add_crossed("gate", "post van", true);
  expect(counts.line("gate") ==
             nlohmann::json::parse(R"({"in": 3, "out": 1, "labels": {"post van": {"in": 1, "out": 0}}})"),
         "a line by label");
  expect(counts.occupied() == std::vector<std::string>{"gate"}, "zones with objects");
  expect(counts.describe(config, true)["zones"]["gate"] == 2 &&
             counts.describe(config, true)["lines"]["gate"]["in"] == 3,
         "they are counted");
  expect(counts.describe(config, false)["zones"].empty(), "not without boxrules");
  const CameraConfig with = config;
  config.zones.clear();
  counts.keep_shapes(config);
  expect(counts.describe(with, true)["zones"]["gate"] == 0, "a zone made again begins at nothing");
}

void reports() {
  News news;
  const auto feed = std::make_shared<CameraFeed>(5);
  ActivityReport report("yard", news, feed);
  news.set = -std::fmod(news.utc().now(), 60); // a minute begins
  news.utc_.re_anchor();
  const double minute = news.utc().now();
  for (int i = 0; i < 61; i++) {
    for (int frame = 0; frame < 5; frame++)
      feed->activity.frame(news.utc().now() + frame * 0.2, {{0.1, 0.1, 0.3, 0.3}}, 0.09);
    news.steady++;
    report.announce(report.end_second());
    report.store();
  }
  expect(news.announced.size() == 61 && news.announced[0]["boxes"].size() == 1, "a sample each second");
  expect(news.heats.size() == 1 && near(news.heats[0], minute), "a heat map of the minute");
  expect(news.moved_cells > 50, "and the cells that moved");
  report.stop();
  expect(news.heats.size() == 2, "at its end the rest");

  // A timer that drifts skips the second in which a minute begins.
  News late;
  const auto other = std::make_shared<CameraFeed>(5);
  ActivityReport drifting("yard", late, other);
  late.set = -std::fmod(late.utc().now(), 60);
  late.utc_.re_anchor();
  const double first = late.utc().now();
  for (int i = 0; i < 72; i++) { // at 59.5, 61.2, 119 and 120.7 seconds, among others
    other->activity.frame(late.utc().now(), {{0.1, 0.1, 0.3, 0.3}}, 0.09);
    drifting.end_second();
    drifting.store();
    late.steady += 1.7;
  }
  expect(late.heats.size() == 2 && near(late.heats[0], first) && near(late.heats[1], first + 60),
         "each minute has its own, whatever second the timer skips");
}

void said_once() {
  SaidOnce said;
  expect(said.first("a") && said.first("b") && !said.first("a"), "a warning is new once");
  int more = 0;
  for (int i = 0; i < 5000; i++) more += said.first(std::to_string(i));
  expect(more < 1000, "and there is an end to them");
}

DeviceNotice notice(const char *label, DeviceNotice::State state, const std::string &source = "1") {
  return {label, source, state};
}

// What a camera finds by itself, whatever it sends.
void own_events() {
  using State = DeviceNotice::State;
  Scene s;
  s.config.record.post_capture = 1;
  DeviceEvents own(s.events);
  const auto tick = [&](bool shown = true, bool turning = false) {
    own.tick(s.now(), shown, turning);
    s.pass(1);
  };
  const auto begun = [&](const char *label) {
    const auto all = s.news.all("new");
    return std::count_if(all.begin(), all.end(), [&](const Event &e) { return e.label == label; });
  };
  own.notice(notice("device-motion", State::on, "a"));
  own.notice(notice("device-motion", State::on, "b"));
  tick();
  own.notice(notice("device-motion", State::off, "a"));
  tick();
  expect(begun("device-motion") == 1 && s.news.all("end").empty(), "one event of two sources");
  own.notice(notice("device-motion", State::off, "b"));
  tick();
  s.pass(3);
  expect(s.news.all("end").size() == 1, "it ends with the last one");
  own.notice(notice("device-line", State::moment));
  tick();
  s.pass(3);
  expect(begun("device-line") == 1 && s.news.all("end").size() == 2, "what only happens is an event, too");
  own.notice(notice("device-motion", State::on));
  own.notice(notice("device-input", State::on));
  tick(true, true);
  expect(begun("device-motion") == 1 && begun("device-input") == 1,
         "a turn is no motion, but an input is one");
  tick();
  expect(begun("device-motion") == 2, "what still moves after the turn is");
  own.away(s.now());
  s.pass(3);
  expect(s.news.all("end").size() == 4, "an outage of the device ends all");
  own.notice(notice("device-tamper", State::on));
  tick(false);
  expect(begun("device-tamper") == 0, "nothing without the stream");
  tick();
  expect(begun("device-tamper") == 1, "with it what goes on");
  own.connection_ends();
  s.events.end_all();
  tick();
  expect(begun("device-tamper") == 2, "and again after an outage of the stream");
  // A camera that says one thing and its opposite all the time.
  s.pass(120);
  const auto before = s.news.all("new").size();
  for (int i = 0; i < 60; i++) {
    for (int n = 0; n < 1000; n++)
      own.notice(notice("device-input", State::on, std::to_string(i * 1000 + n)));
    own.tick(s.now(), true, false);
    own.away(s.now());
    s.events.end_now("device-input");
    s.news.steady += 0.5;
  }
  const auto many = s.news.all("new").size() - before;
  expect(many >= 10 && many <= DeviceEvents::most_begun, "a limit of events: " + std::to_string(many));
}

// When a camera turns, and when what it shows counts again.
void turning() {
  Turning t;
  using Step = Turning::Step;
  const auto ticks = [&t](double from, double to, bool still) {
    for (double now = from; now < to; now++)
      if (const Step step = t.tick(now, still, true); step != Step::none) return std::pair(now, step);
    return std::pair(to, Step::none);
  };
  expect(!t.quiet() && t.tick(0, true, true) == Step::none, "at rest");
  t.order(100, "");
  expect(t.quiet() && ticks(100, 102, true).second == Step::none, "a picture that has not moved yet");
  t.order(102, "");
  expect(ticks(103, 130, false).second == Step::none && t.quiet(), "it turns");
  const auto learns = ticks(130, 140, true);
  expect(learns == std::pair(130.0, Step::learn) && t.quiet(), "it is still");
  expect(t.tick(130.5, true, true) == Step::none && t.tick(132, true, false) == Step::none, "it learns");
  expect(t.tick(133, true, true) == Step::over && !t.quiet(), "and is at rest");
  t.order(200, "");
  expect(ticks(200, 300, false) == std::pair(260.0, Step::learn), "leaves that move are no turn without end");
  ticks(261, 270, true);
  t.order(300, "door");
  expect(!t.knows_view(301), "on its way");
  ticks(303, 310, true);
  expect(ticks(304, 310, true).second == Step::over && t.at() == "door" && !t.knows_view(306), "at a preset");
  expect(t.knows_view(320), "whose view it knows after a while");
  t.order(330, "");
  expect(t.refused() && !t.quiet() && t.at() == "door", "an order that it does not take leaves it there");
  t.order(340, "");
  t.order(341, "door");
  expect(!t.refused() && t.quiet() && t.at().empty(), "the second of two: nobody knows where it looks");
  ticks(342, 400, true);
  ticks(346, 400, true);
  t.is_at("yard");
  t.left("door");
  expect(t.at() == "yard", "another preset goes");
  t.left("yard");
  expect(t.at().empty(), "this one goes");
  t.is_at("yard");
  t.moved();
  expect(t.at().empty(), "somebody else has moved it");
}

void still_picture() {
  StillPicture p;
  StillPicture::Cells cells{};
  for (std::size_t i = 0; i < cells.size(); i++) cells[i] = static_cast<std::uint8_t>(i * 37);
  double now = 10;
  const auto pass = [&](double seconds, const auto &change) {
    for (const double end = now + seconds; now < end; now += StillPicture::every) {
      change();
      p.look(cells, now);
    }
  };
  expect(!p.still(now) && p.due(now), "nothing seen");
  pass(0.5, [] {});
  expect(!p.still(now), "too early");
  pass(1.5, [] {});
  expect(p.still(now), "a picture that does not change");
  pass(2, [&] {
    for (std::size_t i = 0; i < 20; i++) cells[i] ^= 0xff;
  });
  expect(p.still(now), "somebody in it");
  pass(2, [&] { std::rotate(cells.begin(), cells.begin() + 1, cells.end()); });
  expect(!p.still(now), "a turn");
  pass(2, [&] {
    for (auto &c : cells) c = static_cast<std::uint8_t>(c < 200 ? c + 3 : c);
  });
  expect(!p.still(now), "a slow turn adds up");
  pass(2, [] {});
  expect(p.still(now) && !p.still(now + 5), "still; and no pictures are no still picture");
  p.forget();
  expect(!p.still(now), "from the beginning");
}

void view_models() {
  const std::string folder = test_folder + "/views";
  ViewModels::remove_all(folder);
  const ViewModels models(folder);
  expect(!models.has("a") && !models.has(""), "none");
  for (int i = 0; i < 12; i++) {
    const std::string preset = "p/../" + std::to_string(i);
    models.make_room(preset);
    std::ofstream(models.path(preset)) << i;
    std::filesystem::last_write_time(models.path(preset), std::filesystem::file_time_type::clock::now() +
                                                              std::chrono::seconds(i - 100));
  }
  std::size_t files = 0;
  for (const auto &e : std::filesystem::directory_iterator(folder)) files += e.is_regular_file();
  expect(files == ViewModels::most, "a bounded number, all in its folder: " + std::to_string(files));
  expect(models.has("p/../11") && !models.has("p/../0"), "the newest ones");
  models.remove("p/../11");
  expect(!models.has("p/../11"), "removed");
  ViewModels::remove_all(folder);
  expect(!std::filesystem::exists(folder), "with the camera");
}

int run() {
  const std::vector<vigil::test::Case> cases = {
      {"one event", one_event},
      {"part of recording", part_of_recording},
      {"chain is late", chain_is_late},
      {"long event", long_event},
      {"broken clip", broken_clip},
      {"lost clip", lost_clip},
      {"clock set", clock_set},
      {"taken down", taken_down},
      {"loitering", loitering},
      {"trouble", trouble},
      {"outages", outages},
      {"counts", counts},
      {"reports", reports},
      {"said once", said_once},
      {"own events", own_events},
      {"turning", turning},
      {"still picture", still_picture},
      {"view models", view_models},
  };
  return vigil::test::run_cases("test-monitor-events", cases);
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1) test_folder = std::string(argv[1]) + "/monitor-events";
  return run();
}
