// SPDX-License-Identifier: LGPL-2.1-or-later
// A drawn day before cudamog: the motion events against the exact truth.
// Usage: quality-day [--from HOUR] [--hours N] [--rate FPS] [--seed N] [--size WxH] [--format FORMAT]
//                    [--settings "name=value ..."]... [--recall R] [--false-a-day N]
//                    [--warm-up SECONDS] [--at-most SECONDS] [--list] [--headlights]
//
// --settings may be given several times: each frame is drawn once, for all of them, and each is scored.
// --warm-up: what begins in the first seconds of the scene's time does not count, and these come on top of
// --hours. --at-most: after so many seconds of the clock on the wall it ends, and says how much of the day
// was seen. --list prints each visit and each event.
// Without --settings nothing is set. --headlights: cars have theirs on while the street lamps are lit.
//
// Draws the scene `day` of scenetestsrc frame by frame and pushes each into cudamog. A visit is a stretch of
// time in which something is in view that is no parked car; stretches less than `join` seconds apart are one.
// A visit that shows enough (`least_box`) is to be found: a motion event must begin while it lasts, or at
// most `ahead` seconds before if it lasts into it, since a low sun throws shadows ahead, and `light_ahead`
// where a car with its headlights on begins the visit: they light the road before it. False is an event
// that begins at another time, or that lasts for more than `stuck` seconds after everybody left. What begins
// after --hours does not count, but who is in view then is watched until the person has left, so that a day
// in pieces has the counts of a whole one. Exit status: 0 when for all settings recall is at least R and a
// day has at most N false events, else 1.
#include "common/scene/day.h"
#include "common/cpu/device.h"
#include "common/scene/scene.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace vigil;

constexpr double join = 3, stuck = 30, ahead = 1.5, late = 1.5; // seconds
constexpr double light_ahead = 3.5; // seconds that the slowest car needs from where its light is drawn first
constexpr double longest_overtime = 300; // seconds
constexpr int least_box = 250;           // pixels of 320x240
constexpr float least_visible = 0.5f;    // of an object

struct Options {
  double from = 12, hours = 24, rate = 2, recall = 0.99, false_a_day = 2;
  double warm_up = 0, at_most = 0;
  bool list = false, headlights = false;
  unsigned seed = 1;
  int width = 320, height = 240;
  std::string format = "I420";
  std::vector<std::string> settings;
};

struct Stretch {
  double begin, end;
  bool wanted = false, found = false, lit = false;
};

[[noreturn]] void usage(const char *why) {
  std::fprintf(stderr, "quality-day: %s\n", why);
  std::exit(2);
}

Options options_of(int argc, char **argv) {
  Options o;
  for (int i = 1; i < argc; i++) {
    const std::string name = argv[i];
    if (name == "--list") {
      o.list = true;
      continue;
    }
    if (name == "--headlights") {
      o.headlights = true;
      continue;
    }
    if (i + 1 == argc) usage((name + " needs a value").c_str());
    const char *const value = argv[++i];
    if (name == "--from")
      o.from = std::atof(value);
    else if (name == "--hours")
      o.hours = std::atof(value);
    else if (name == "--rate")
      o.rate = std::atof(value);
    else if (name == "--recall")
      o.recall = std::atof(value);
    else if (name == "--false-a-day")
      o.false_a_day = std::atof(value);
    else if (name == "--warm-up")
      o.warm_up = std::atof(value);
    else if (name == "--at-most")
      o.at_most = std::atof(value);
    else if (name == "--seed")
      o.seed = unsigned(std::atoi(value));
    else if (name == "--size") {
      if (std::sscanf(value, "%dx%d", &o.width, &o.height) != 2) usage("--size takes WIDTHxHEIGHT");
    } else if (name == "--format")
      o.format = value;
    else if (name == "--settings")
      o.settings.emplace_back(value);
    else
      usage((name + " is no option").c_str());
  }
  if (o.settings.empty()) o.settings.emplace_back("");
  if (!(o.from >= 0 && o.from < 24 && o.hours > 0 && o.rate > 0)) usage("hours and rate must be more than 0");
  return o;
}

PixelFormat pixel_format(const GstVideoInfo &info) {
  switch (GST_VIDEO_INFO_FORMAT(&info)) {
  case GST_VIDEO_FORMAT_I420:
    return PixelFormat::i420;
  case GST_VIDEO_FORMAT_NV12:
    return PixelFormat::nv12;
  case GST_VIDEO_FORMAT_GRAY8:
    return PixelFormat::gray8;
  case GST_VIDEO_FORMAT_RGBA:
    return PixelFormat::rgba;
  default:
    usage("--format must be I420, NV12, GRAY8 or RGBA");
  }
}

std::string clock(double time) {
  const double hour = scene::hour_of(time), minute = std::floor(std::fmod(hour * 60, 60)),
               second = std::fmod(hour * 3600, 60);
  char text[32];
  std::snprintf(text, sizeof text, "%02d:%02d:%04.1f", int(hour), int(minute), second);
  return text;
}

GstVideoInfo info_of(const Options &o) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, gst_video_format_from_string(o.format.c_str()), guint(o.width),
                            guint(o.height));
  info.fps_n = int(std::lround(o.rate * 1000));
  info.fps_d = 1000;
  return info;
}

class Street {
 public:
  explicit Street(const Options &o) : o_(o), device_(0), scene_(settings(o), device_), info_(info_of(o)) {}

  // The frame of the scene at `time`, the `number`th.
  GstBuffer *draw(std::uint64_t number, double time) {
    GstBuffer *buffer = gst_buffer_new_allocate(nullptr, info_.size, nullptr);
    GstVideoFrame frame;
    if (!gst_video_frame_map(&frame, &info_, buffer, GST_MAP_WRITE)) usage("a buffer cannot be mapped");
    Image image{pixel_format(info_), o_.width, o_.height, {}, {}};
    for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(&info_); i++) {
      image.data[i] = static_cast<std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, i));
      image.stride[i] = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, i);
    }
    scene_.draw({std::uint64_t(std::llround(time * o_.rate)), time}, image, {});
    gst_video_frame_unmap(&frame);
    GST_BUFFER_PTS(buffer) = GstClockTime(double(number) / o_.rate * double(GST_SECOND));
    GST_BUFFER_DURATION(buffer) = GstClockTime(double(GST_SECOND) / o_.rate);
    return buffer;
  }
  struct Seen {
    bool any = false, enough = false; // whether enough of somebody is in view to be found
    bool lit = false;                 // whether a car has its headlights on
  };
  Seen seen(double time) const {
    Seen seen;
    for (const scene::TrueObject &o : scene_.objects(time)) {
      if (o.kind == scene::Kind::car && o.since >= 0) continue;
      seen.any = true;
      seen.lit |= o_.headlights && o.kind == scene::Kind::car && scene::weather_at(time).lamps;
      const double box =
          double(o.visible_width) * o.visible_height * 320 * 240 / (double(o_.width) * o_.height);
      seen.enough |= o.visible >= least_visible && box >= least_box;
    }
    return seen;
  }

 private:
  static scene::Settings settings(const Options &o) {
    scene::Settings s;
    s.width = o.width;
    s.height = o.height;
    s.story = scene::Story::day;
    s.seed = o.seed;
    s.headlights = o.headlights;
    return s;
  }
  const Options &o_;
  CpuDevice device_;
  scene::Scene scene_;
  GstVideoInfo info_;
};

// A cudamog with one of the settings, and the events that it reported.
class Camera {
 public:
  Camera(const Options &o, const std::string &settings) : settings_(settings) {
    const std::string line = "cudamog output=passthrough backend=cpu " + settings;
    harness_ = gst_harness_new_parse(line.c_str());
    if (!harness_) usage("cudamog cannot be made; is GST_PLUGIN_PATH set?");
    const GstVideoInfo info = info_of(o);
    gst_harness_set_src_caps(harness_, gst_video_info_to_caps(&info));
    bus_ = gst_bus_new();
    gst_element_set_bus(harness_->element, bus_);
  }
  Camera(const Camera &) = delete;
  Camera &operator=(const Camera &) = delete;
  ~Camera() {
    gst_element_set_bus(harness_->element, nullptr);
    gst_harness_teardown(harness_);
    gst_object_unref(bus_);
  }

  // `buffer` stays the caller's.
  void see(GstBuffer *buffer, double time) {
    if (gst_harness_push(harness_, gst_buffer_ref(buffer)) != GST_FLOW_OK) usage("cudamog refused a frame");
    gst_buffer_unref(gst_harness_pull(harness_));
    while (GstMessage *m = gst_bus_pop(bus_)) {
      take(m, time);
      gst_message_unref(m);
    }
    if (moving_) events_.back().end = time;
  }
  bool moving() const { return moving_; }
  const std::string &settings() const { return settings_; }
  const std::vector<Stretch> &events() const { return events_; }

 private:
  // Messages other than those of motion are printed.
  void take(GstMessage *m, double time) {
    const GstStructure *s =
        GST_MESSAGE_TYPE(m) == GST_MESSAGE_ELEMENT ? gst_message_get_structure(m) : nullptr;
    const std::string name = s ? gst_structure_get_name(s) : "";
    if (name == "motion-begin") events_.push_back({time, time});
    if (name == "motion-begin" || name == "motion-end")
      moving_ = name == "motion-begin";
    else if (s)
      std::printf("%s  %s\n", clock(time).c_str(), name.c_str());
  }
  std::string settings_;
  GstHarness *harness_ = nullptr;
  GstBus *bus_ = nullptr;
  bool moving_ = false;
  std::vector<Stretch> events_;
};

struct Watched {
  double first, last; // of the scene's time that was drawn; what begins from `from` to `until` counts
  double from, until;
};

// Whether one camera reported what it was to report.
bool score(const Options &o, const Camera &camera, std::vector<Stretch> visits, const Watched &w) {
  std::vector<Stretch> events = camera.events();
  const auto counts = [&](const Stretch &s) { return s.begin >= w.from && s.begin < w.until; };
  for (Stretch &v : visits) v.wanted &= counts(v);
  if (o.list) {
    for (const Stretch &v : visits)
      std::printf("visit %.2f %.2f%s\n", v.begin, v.end, v.wanted ? "" : " does not count");
    for (const Stretch &e : events) std::printf("event %.2f %.2f\n", e.begin, e.end);
  }
  int wanted = 0, found = 0, wrong = 0;
  std::size_t counted = 0;
  for (const Stretch &e : events) {
    const auto begun_in = [&](const Stretch &v) {
      return e.begin >= v.begin - (v.lit ? light_ahead : ahead) && e.end >= v.begin &&
             e.begin <= v.end + late;
    };
    const auto v = std::ranges::find_if(visits, begun_in);
    if (v != visits.end()) v->found = true;
    if (!counts(e)) continue;
    counted++;
    double over = e.begin;
    for (const Stretch &s : visits)
      if (s.begin <= e.end && s.end >= e.begin) over = std::max(over, s.end);
    const bool lasts = e.end > over + stuck;
    if (v != visits.end() && !lasts) continue;
    wrong++;
    std::printf("%s  a false event until %s%s\n", clock(e.begin).c_str(), clock(e.end).c_str(),
                v != visits.end() ? ": everybody has left" : "");
  }
  for (const Stretch &v : visits) {
    wanted += v.wanted;
    found += v.wanted && v.found;
    if (v.wanted && !v.found)
      std::printf("%s  a visit until %s was missed\n", clock(v.begin).c_str(), clock(v.end).c_str());
  }
  const double hours = std::max(std::min(w.last, w.until) - w.from, 0.) / 3600;
  const double recall = wanted ? double(found) / wanted : 1, a_day = hours > 0 ? wrong * 24 / hours : 0;
  std::printf(
      "%.2f hours, %llu frames, seed %u, %s%s, \"%s\": %zu events; %d of %d visits found (recall %.4f), "
      "%d false events (%.1f a day)\n",
      hours, static_cast<unsigned long long>((w.last - w.first) * o.rate + 1), o.seed, o.format.c_str(),
      o.headlights ? ", headlights" : "", camera.settings().c_str(), counted, found, wanted, recall, wrong,
      a_day);
  return wanted > 0 && recall >= o.recall && a_day <= o.false_a_day;
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  const Options o = options_of(argc, argv);
  const double from = std::fmod(o.from + 12, 24) * 3600, first = std::max(from - o.warm_up, 0.);
  Watched w{first, first, from, from + o.hours * 3600};
  const auto start = std::chrono::steady_clock::now();
  Street street(o);
  std::vector<std::unique_ptr<Camera>> cameras;
  for (const std::string &settings : o.settings) cameras.push_back(std::make_unique<Camera>(o, settings));
  std::vector<Stretch> visits;
  for (std::uint64_t n = 0;; n++) {
    const double time = first + double(n) / o.rate;
    const Street::Seen seen = street.seen(time);
    const bool moving = std::ranges::any_of(cameras, [](const auto &c) { return c->moving(); });
    const bool unfinished = moving || seen.any || (!visits.empty() && time - visits.back().end <= late);
    if (time >= w.until + (unfinished ? longest_overtime : 0)) break;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (o.at_most > 0 && took.count() > o.at_most) break;
    w.last = time;
    GstBuffer *const frame = street.draw(n, time);
    for (const auto &camera : cameras) camera->see(frame, time);
    gst_buffer_unref(frame);
    if (!seen.any) continue;
    if (visits.empty() || time - visits.back().end > join)
      visits.push_back({.begin = time, .end = time, .lit = seen.lit});
    visits.back().end = time;
    visits.back().wanted |= seen.enough;
  }
  bool all = true;
  for (const auto &camera : cameras) all &= score(o, *camera, visits, w);
  return all ? 0 : 1;
}
