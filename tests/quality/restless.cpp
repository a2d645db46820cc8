// SPDX-License-Identifier: LGPL-2.1-or-later
// Which parts of a drawn day are proposed as masks, since they move all day.
// Usage: quality-restless [--expect none|some] [--hours N] [--rate FPS] [--size WxH]
//                         [--day busy|even|sparse|quiet] STORY:SEED...
//
// Draws N hours of a scene of scenetestsrc, gives the frames to cudamog with default settings, and the boxes
// to cells of the picture, as vigil-monitor does. These hours, again and again, are the day. --day says how
// many people and cars there are: `busy` has twice the scene's own number and a tenth of it in turn, an hour
// each, `even` the scene's own, `sparse` a tenth of it, `quiet` nobody. Exit status: 1 where a scene has
// proposals and `none` were expected, or has none and `some` were.
#include "common/cpu/device.h"
#include "common/scene/scene.h"
#include "tools/vigil-monitor/camera/frame_boxes.h"
#include "tools/vigil-monitor/motion/restless_parts.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace vigil;
using namespace vigil::monitor;

constexpr int day_hours = 24, hour_minutes = 60;

const std::map<std::string, scene::Story> stories = {{"street", scene::Story::street},
                                                     {"traffic", scene::Story::traffic},
                                                     {"indoor", scene::Story::indoor},
                                                     {"foliage", scene::Story::foliage},
                                                     {"plaza", scene::Story::plaza},
                                                     {"queue", scene::Story::queue},
                                                     {"crossing", scene::Story::crossing},
                                                     {"crowd", scene::Story::crowd},
                                                     {"groups", scene::Story::groups},
                                                     {"clock", scene::Story::clock},
                                                     {"flag", scene::Story::flag},
                                                     {"screen", scene::Story::screen},
                                                     {"snow", scene::Story::snow},
                                                     {"rain", scene::Story::rain},
                                                     {"insects", scene::Story::insects},
                                                     {"gale", scene::Story::gale},
                                                     {"headlights", scene::Story::headlights}};

struct Options {
  std::string expect, day = "even";
  int hours = 1, width = 320, height = 240;
  double rate = 2;
  std::vector<std::pair<std::string, unsigned>> scenes; // story, seed
};

[[noreturn]] void usage(const std::string &why) {
  std::fprintf(stderr, "quality-restless: %s\n", why.c_str());
  std::exit(2);
}

Options options_of(int argc, char **argv) {
  Options o;
  for (int i = 1; i < argc; i++) {
    const std::string name = argv[i];
    if (!name.starts_with("--")) {
      const std::size_t colon = name.find(':');
      if (colon == std::string::npos || !stories.count(name.substr(0, colon))) usage(name + " is no scene");
      o.scenes.emplace_back(name.substr(0, colon), unsigned(std::atoi(name.c_str() + colon + 1)));
      continue;
    }
    if (i + 1 == argc) usage(name + " needs a value");
    const char *const value = argv[++i];
    if (name == "--expect")
      o.expect = value;
    else if (name == "--day")
      o.day = value;
    else if (name == "--hours")
      o.hours = std::atoi(value);
    else if (name == "--rate")
      o.rate = std::atof(value);
    else if (name == "--size") {
      if (std::sscanf(value, "%dx%d", &o.width, &o.height) != 2) usage("--size takes WIDTHxHEIGHT");
    } else
      usage(name + " is no option");
  }
  if (o.hours < 1 || o.hours > day_hours || !(o.rate > 0))
    usage("--hours is from 1 to 24, --rate more than 0");
  if (o.scenes.empty()) usage("no scene is given");
  return o;
}

// How many people and cars there are, of the scene's own number.
float density(const std::string &day, int hour) {
  if (day == "quiet") return 0;
  if (day == "even") return 1;
  if (day == "sparse") return 0.1f;
  return hour % 2 ? 0.1f : 2.f;
}

// cudamog as vigil-monitor has it, and the boxes of a frame.
class Analysis {
 public:
  explicit Analysis(const Options &o) : width_(o.width), height_(o.height) {
    gst_video_info_set_format(&info_, GST_VIDEO_FORMAT_I420, guint(o.width), guint(o.height));
    info_.fps_n = int(std::lround(o.rate * 1000));
    info_.fps_d = 1000;
    harness_ = gst_harness_new_parse("cudamog output=passthrough backend=cpu threads=1");
    if (!harness_) usage("cudamog cannot be made; is GST_PLUGIN_PATH set?");
    gst_harness_set_src_caps(harness_, gst_video_info_to_caps(&info_));
  }
  Analysis(const Analysis &) = delete;
  Analysis &operator=(const Analysis &) = delete;
  ~Analysis() { gst_harness_teardown(harness_); }

  std::vector<Rect> see(const scene::Scene &scene, std::uint64_t number, double time) {
    GstBuffer *buffer = gst_buffer_new_allocate(nullptr, info_.size, nullptr);
    GstVideoFrame frame;
    if (!gst_video_frame_map(&frame, &info_, buffer, GST_MAP_WRITE)) usage("a buffer cannot be mapped");
    Image image{PixelFormat::i420, width_, height_, {}, {}};
    for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(&info_); i++) {
      image.data[i] = static_cast<std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, i));
      image.stride[i] = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, i);
    }
    scene.draw({number, time}, image, {});
    gst_video_frame_unmap(&frame);
    GST_BUFFER_PTS(buffer) = GstClockTime(time * double(GST_SECOND));
    if (gst_harness_push(harness_, buffer) != GST_FLOW_OK) usage("cudamog refused a frame");
    GstBuffer *out = gst_harness_pull(harness_);
    std::vector<Rect> boxes = motion_boxes(out, width_, height_).boxes;
    gst_buffer_unref(out);
    return boxes;
  }

 private:
  const int width_, height_;
  GstVideoInfo info_{};
  GstHarness *harness_ = nullptr;
};

// The cells that moved, minute by minute.
std::vector<MotionMinute> drawn_hours(const Options &o, const std::string &story, unsigned seed) {
  CpuDevice device(0);
  Analysis analysis(o);
  std::vector<MotionMinute> out;
  std::uint64_t number = 0;
  for (int hour = 0; hour < o.hours; hour++) {
    scene::Settings s;
    s.width = o.width;
    s.height = o.height;
    s.story = stories.at(story);
    s.seed = seed;
    s.density = density(o.day, hour);
    const scene::Scene scene(s, device);
    for (int minute = 0; minute < hour_minutes; minute++) {
      MotionMinute moved{};
      for (MovingCells &second : moved)
        for (const double until = double(out.size() * moved.size() + std::size_t(&second - moved.data()) + 1);
             double(number) / o.rate < until; number++)
          for (const Rect &box : analysis.see(scene, number, double(number) / o.rate)) second.set(box);
      out.push_back(moved);
    }
  }
  return out;
}

std::vector<RestlessPart> proposals(const Options &o, const std::string &story, unsigned seed) {
  const std::vector<MotionMinute> drawn = drawn_hours(o, story, seed);
  constexpr std::int64_t end = day_hours * hour_minutes;
  RestlessParts restless(end);
  for (std::int64_t minute = 0; minute < end; minute++)
    restless.look(minute, drawn[std::size_t(minute) % drawn.size()]);
  return restless.parts({});
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  const Options o = options_of(argc, argv);
  bool good = true;
  for (const auto &[story, seed] : o.scenes) {
    const std::vector<RestlessPart> found = proposals(o, story, seed);
    std::printf("%s, seed %u, day %s: %zu", story.c_str(), seed, o.day.c_str(), found.size());
    for (const RestlessPart &p : found)
      std::printf("; %.3f,%.3f %.3fx%.3f in %d hours", p.box.x, p.box.y, p.box.width, p.box.height, p.hours);
    std::puts("");
    std::fflush(stdout);
    if (!o.expect.empty()) good &= found.empty() == (o.expect == "none");
  }
  return good ? 0 : 1;
}
