// SPDX-License-Identifier: LGPL-2.1-or-later
// How much of labelled foreground vigil-monitor covers with privacy: {silhouettes}, and how much background.
// Usage: quality-silhouettes [--recall R] [--NAME VALUE]... FPS:SETTINGS DATASET...
//   NAME: least, of-box, of-unseen, hold, learning (camera/silhouettes.h)
//   SETTINGS: of cudamog, besides those of the monitor; DATASET: as vigil-eval takes them
// Frames that are covered whole count as such alone. Exit status 1: less than R of the foreground of a
// dataset is covered.
#include "tools/vigil-monitor/camera/silhouettes.h"

#include "gst/video/gst_ptr.h"
#include "tools/base/mapped.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <map>
#include <mutex>
#include <optional>
#include <regex>
#include <string>
#include <vector>

using namespace vigil;
using monitor::Silhouettes;
namespace fs = std::filesystem;

namespace {

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> bytes;
};

struct Counts {
  std::uint64_t frames = 0, whole = 0, foreground = 0, covered = 0, background = 0, covered_background = 0;
  double worst = 1;
};

[[noreturn]] void stop(const std::string &why) {
  std::fprintf(stderr, "quality-silhouettes: %s\n", why.c_str());
  std::exit(2);
}

std::optional<int> number_of(const fs::path &file) {
  const std::string name = file.stem().string();
  std::smatch found;
  return std::regex_search(name, found, std::regex("([0-9]+)$")) ? std::optional(std::stoi(found[1]))
                                                                 : std::nullopt;
}

std::map<int, fs::path> numbered(const fs::path &folder, const std::string &begin) {
  std::map<int, fs::path> out;
  std::error_code none;
  for (const auto &e : fs::directory_iterator(folder, none))
    if (e.path().filename().string().starts_with(begin))
      if (const auto n = number_of(e.path())) out[*n] = e.path();
  return out;
}

gst::ObjectPtr<GstElement> made_of(const std::string &line) {
  GError *e = nullptr;
  GstElement *made = gst_parse_launch(line.c_str(), &e);
  if (e) stop(line + ": " + e->message);
  gst_object_ref_sink(made);
  return gst::ObjectPtr<GstElement>(made);
}

Picture grey(GstSample *sample) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample))) stop("no picture");
  const tools::MappedFrame frame(gst_sample_get_buffer(sample), info, GST_MAP_READ);
  if (!frame) stop("a picture cannot be read");
  Picture out{info.width, info.height, {}};
  for (int y = 0; y < info.height; y++) {
    const auto *row = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame.get(), 0)) +
                      y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame.get(), 0);
    out.bytes.insert(out.bytes.end(), row, row + info.width);
  }
  return out;
}

gst::SamplePtr next(GstElement *pipeline, const char *sink) {
  const gst::ObjectPtr<GstElement> s(gst_bin_get_by_name(GST_BIN(pipeline), sink));
  return gst::SamplePtr(gst_app_sink_try_pull_sample(GST_APP_SINK(s.get()), 60 * GST_SECOND));
}

Picture read_picture(const fs::path &file) {
  const auto p =
      made_of("filesrc location=\"" + file.string() +
              "\" ! decodebin ! videoconvert ! video/x-raw,format=GRAY8 ! appsink sync=false name=out");
  gst_element_set_state(p.get(), GST_STATE_PLAYING);
  const auto sample = next(p.get(), "out");
  if (!sample) stop(file.string() + " cannot be read");
  Picture out = grey(sample.get());
  gst_element_set_state(p.get(), GST_STATE_NULL);
  return out;
}

// As frame_boxes.cpp of vigil-monitor reads them.
std::vector<Silhouettes::Box> boxes_of(GstBuffer *b) {
  std::vector<Silhouettes::Box> out;
  gpointer state = nullptr;
  while (auto *m = reinterpret_cast<GstVideoRegionOfInterestMeta *>(
             gst_buffer_iterate_meta_filtered(b, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstStructure *track = gst_video_region_of_interest_meta_get_param(m, "track");
    const char *how = track ? gst_structure_get_string(track, "state") : "tracked";
    out.push_back({int(m->x), int(m->y), int(m->w), int(m->h), std::string(how ? how : "") == "tracked"});
  }
  return out;
}

// Whether cudamog knew the scene when it gave a frame.
struct Scene {
  gst::ObjectPtr<GstElement> mog;
  std::mutex lock{};
  std::map<GstClockTime, bool> frames{}; // under lock

  static GstPadProbeReturn look(GstPad *, GstPadProbeInfo *info, gpointer user) {
    auto &self = *static_cast<Scene *>(user);
    GstStructure *stats = nullptr;
    gboolean relearning = TRUE;
    g_object_get(self.mog.get(), "stats", &stats, nullptr);
    gst_structure_get_boolean(stats, "relearning", &relearning);
    gst_structure_free(stats);
    const std::lock_guard held(self.lock);
    self.frames[GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info))] = !relearning;
    return GST_PAD_PROBE_OK;
  }
  bool known(GstClockTime pts) {
    const std::lock_guard held(lock);
    return frames[pts];
  }
};

void score(Counts &c, const monitor::SharedSilhouettes &found, const Picture &truth, bool wallflower) {
  c.frames++;
  if (!found) {
    c.whole++;
    return;
  }
  std::uint64_t foreground = 0, covered = 0;
  for (int y = 0; y < truth.height; y++)
    for (int x = 0; x < truth.width; x++) {
      const std::size_t i = std::size_t(y) * std::size_t(truth.width) + std::size_t(x);
      const int v = truth.bytes[i];
      const bool is = wallflower ? v >= 128 : v == 255;
      if (!is && !wallflower && v != 0 && v != 50) continue;
      const int row = y * found->height / truth.height / found->size,
                column = x * found->width / truth.width / found->size;
      const std::size_t cell = std::size_t(row) * std::size_t(found->columns()) + std::size_t(column);
      const bool hidden = found->cells[cell];
      foreground += is;
      covered += is && hidden;
      c.background += !is;
      c.covered_background += !is && hidden;
    }
  c.foreground += foreground;
  c.covered += covered;
  if (foreground >= 50) c.worst = std::min(c.worst, double(covered) / double(foreground));
}

Counts run(const std::string &set, double fps, const std::string &settings,
           const Silhouettes::Growth &growth) {
  const std::string chain =
      "cudamog name=mog output=mask absorb-after=0 motion-hold=1500 motion-delay=100 threads=2 backend=cpu " +
      settings + " ! boxtrack name=track ! appsink name=out sync=false max-buffers=4";
  const bool drawn = set.starts_with("scene:");
  const fs::path folder = set;
  std::string line;
  std::map<int, fs::path> truths;
  int first = 0, from = 0, to = 1 << 30;
  bool wallflower = false;
  if (drawn) {
    std::string properties = set.substr(6);
    std::replace(properties.begin(), properties.end(), ',', ' ');
    line = "scenetestsrc name=s scene=" + properties +
           " s.src ! video/x-raw,format=I420,width=640,height=360,framerate=15/1 ! queue ! " + chain +
           " s.truth ! queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! appsink name=truth "
           "sync=false";
  } else {
    const auto input = numbered(folder / "input", "");
    truths = numbered(folder / "groundtruth", "gt");
    if (truths.empty()) {
      truths = numbered(folder, "hand_segmented");
      wallflower = true;
    }
    if (truths.empty()) stop(set + " has no truth");
    if (input.empty()) {
      for (const auto &e : fs::directory_iterator(folder))
        if (e.path().extension() == ".mp4" || e.path().extension() == ".avi")
          line = "filesrc location=\"" + e.path().string() + "\" ! decodebin";
    } else {
      first = input.begin()->first;
      const std::string name = input.begin()->second.filename().string();
      const std::size_t digits = name.find_first_of("0123456789"),
                        end = name.find_first_not_of("0123456789", digits);
      const std::string pattern = (folder / "input").string() + "/" + name.substr(0, digits) + "%0" +
                                  std::to_string(end - digits) + "d" + name.substr(end);
      line = "multifilesrc location=\"" + pattern + "\" start-index=" + std::to_string(first) +
             " caps=image/" + (name.ends_with(".png") ? "png" : "jpeg") + ",framerate=(fraction)" +
             std::to_string(int(fps)) + "/1 ! " + (name.ends_with(".png") ? "pngdec" : "jpegdec");
    }
    line += " ! videoconvert ! video/x-raw,format=I420 ! " + chain;
    if (FILE *f = std::fopen((folder / "temporalROI.txt").c_str(), "r")) {
      if (std::fscanf(f, "%d %d", &from, &to) != 2) stop("temporalROI.txt");
      std::fclose(f);
    }
  }
  const auto p = made_of(line);
  Scene scene{gst::ObjectPtr<GstElement>(gst_bin_get_by_name(GST_BIN(p.get()), "mog"))};
  const gst::ObjectPtr<GstElement> track(gst_bin_get_by_name(GST_BIN(p.get()), "track"));
  const gst::ObjectPtr<GstPad> found_here(gst_element_get_static_pad(track.get(), "src"));
  gst_pad_add_probe(found_here.get(), GST_PAD_PROBE_TYPE_BUFFER, Scene::look, &scene, nullptr);
  gst_element_set_state(p.get(), GST_STATE_PLAYING);
  Silhouettes silhouettes(growth);
  Counts c;
  for (int n = first;; n++) {
    const auto sample = next(p.get(), "out");
    if (!sample) break;
    GstBuffer *b = gst_sample_get_buffer(sample.get());
    const Picture mask = grey(sample.get());
    const auto boxes = boxes_of(b);
    const auto found = silhouettes.find({mask.bytes.data(), mask.width, mask.width, mask.height,
                                         double(n - first) / fps, scene.known(GST_BUFFER_PTS(b))},
                                        boxes);
    if (drawn) {
      const auto truth = next(p.get(), "truth");
      if (!truth) break;
      score(c, found, grey(truth.get()), false);
    } else if (n >= from && n <= to && truths.count(n)) {
      score(c, found, read_picture(truths[n]), wallflower);
    }
  }
  gst_element_set_state(p.get(), GST_STATE_NULL);
  return c;
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  Silhouettes::Growth growth;
  double recall = 0;
  int i = 1;
  const std::map<std::string, double *> options = {
      {"--recall", &recall},        {"--least", &growth.least},
      {"--of-box", &growth.of_box}, {"--of-unseen", &growth.of_unseen},
      {"--hold", &growth.hold},     {"--learning", &growth.learning}};
  for (; i + 1 < argc && options.count(argv[i]); i += 2) *options.at(argv[i]) = std::atof(argv[i + 1]);
  if (i + 1 >= argc) stop("expected [--NAME VALUE]... FPS:SETTINGS DATASET...");
  const std::string how = argv[i++];
  const std::size_t colon = how.find(':');
  const double fps = std::atof(how.c_str());
  bool good = true;
  for (; i < argc; i++) {
    const Counts c = run(argv[i], fps, how.substr(colon + 1), growth);
    const double share = c.foreground ? double(c.covered) / double(c.foreground) : 1;
    std::printf("%-28s frames %llu whole %llu foreground %llu covered %.4f worst frame %.3f background "
                "covered %.4f\n",
                fs::path(argv[i]).filename().c_str(), (unsigned long long)c.frames,
                (unsigned long long)c.whole, (unsigned long long)c.foreground, share, c.worst,
                c.background ? double(c.covered_background) / double(c.background) : 0);
    std::fflush(stdout);
    good = good && share >= recall;
  }
  return good ? 0 : 1;
}
