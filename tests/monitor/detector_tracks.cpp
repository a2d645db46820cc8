// SPDX-License-Identifier: LGPL-2.1-or-later
// Plays a video at its own speed through a chain with a detector, as vigil-monitor does, and writes the boxes
// of tracks that have a label, as MOTChallenge's text, for vigil-eval --tracks:
//
//   detector-tracks MONITOR.yaml VIDEO LABEL OUT "CHAIN"
//
// OUT-now.txt has the boxes from the moment on at which their track has the label, OUT-all.txt all boxes of
// tracks that have it at their end. The detector is that of the first camera of MONITOR.yaml. On stdout:
// frames, inferences, and the processor time that they took.
#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/pipeline.h"
#include "tools/vigil-monitor/config/config.h"
#include "tools/vigil-monitor/detector/track_crops.h"

#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;

namespace {

struct Box {
  int frame;
  guint64 track;
  guint x, y, width, height;
  bool labelled;
};

struct Run {
  std::string label;
  std::unique_ptr<TrackCrops> crops;
  std::vector<Box> boxes;
  std::map<guint64, bool> at_end; // whether the track has the label on its newest frame
  int frames = 0, width = 0, height = 0;
};

GstClockTime running_time(GstPad *pad, GstBuffer *buffer) {
  GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  if (!event) return GST_CLOCK_TIME_NONE;
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event, &segment);
  const GstClockTime out = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  gst_event_unref(event);
  return out;
}

GstPadProbeReturn picture(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  Run &run = *static_cast<Run *>(user);
  const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  GstVideoInfo video;
  if (!caps || !gst_video_info_from_caps(&video, caps.get())) return GST_PAD_PROBE_OK;
  run.width = video.width;
  run.height = video.height;
  run.crops->caps(video);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  run.crops->picture(buffer, running_time(pad, buffer));
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn found(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
  Run &run = *static_cast<Run *>(user);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  run.frames++;
  run.crops->see(buffer, running_time(pad, buffer), run.width, run.height);
  gpointer state = nullptr;
  while (auto *meta = reinterpret_cast<GstVideoRegionOfInterestMeta *>(
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstStructure *track = gst_video_region_of_interest_meta_get_param(meta, "track"),
                       *label = gst_video_region_of_interest_meta_get_param(meta, "label");
    guint64 id = 0;
    if (!track || !gst_structure_get_uint64(track, "id", &id)) continue;
    const char *word = label ? gst_structure_get_string(label, "label") : nullptr;
    const bool is = word && run.label == word;
    run.boxes.push_back({run.frames, id, meta->x, meta->y, meta->w, meta->h, is});
    run.at_end[id] = is;
  }
  return GST_PAD_PROBE_OK;
}

template <class Keep>
void write(const std::string &path, const Run &run, Keep keep) {
  std::ofstream out(path);
  for (const Box &b : run.boxes)
    if (keep(b))
      out << b.frame << ',' << b.track << ',' << b.x << ',' << b.y << ',' << b.width << ',' << b.height
          << ",1,-1,-1,-1\n";
  if (!out.flush()) fail(Error::Kind::write, path, " cannot be written");
}

void play(const char *config_file, const std::string &video, const char *label, const std::string &out,
          const std::string &chain) {
  const Config config = read_config(config_file);
  const auto &camera = config.cameras.begin()->second;
  if (!camera.detector) fail(Error::Kind::bad_setting, config_file, " has no detector");
  GError *error = nullptr;
  const gst::ObjectPtr<GstElement> line(
      gst_parse_launch(("filesrc name=file ! decodebin ! videoconvert ! identity name=in sync=true ! " +
                        chain + " ! fakesink name=out sync=false")
                           .c_str(),
                       &error));
  if (!line) fail(Error::Kind::bad_setting, gst::ErrorPtr(error)->message);
  gst_object_ref_sink(line.get());
  const auto named = [&](const char *name) {
    return gst::ObjectPtr<GstElement>(gst_bin_get_by_name(GST_BIN(line.get()), name));
  };
  g_object_set(named("file").get(), "location", video.c_str(), nullptr);
  const auto detector = std::make_shared<Detector>(
      *camera.detector, [](const std::string &words) { std::fprintf(stderr, "%s\n", words.c_str()); });
  while (!detector->takes() && detector->describe()["state"] == "loading") g_usleep(20000);
  const auto names = named("names");
  if (!names) fail(Error::Kind::bad_setting, "the chain has no tracklabel name=names");
  Run run;
  run.label = label;
  run.crops = std::make_unique<TrackCrops>("camera", detector, names.get());
  const gst::ObjectPtr<GstPad> in(gst_element_get_static_pad(named("in").get(), "src")),
      sink(gst_element_get_static_pad(named("out").get(), "sink"));
  gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_BUFFER, picture, &run, nullptr);
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, found, &run, nullptr);
  gst_element_set_state(line.get(), GST_STATE_PLAYING);
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(line.get()));
  const gst::MessagePtr end(gst_bus_timed_pop_filtered(
      bus.get(), GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_element_set_state(line.get(), GST_STATE_NULL);
  if (GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_ERROR) {
    gst_message_parse_error(end.get(), &error, nullptr);
    fail(Error::Kind::device, gst::ErrorPtr(error)->message);
  }
  write(out + "-now.txt", run, [](const Box &b) { return b.labelled; });
  write(out + "-all.txt", run, [&](const Box &b) { return run.at_end.at(b.track); });
  write(out + "-tracks.txt", run, [](const Box &) { return true; });
  const auto said = detector->describe();
  std::printf("%d frames, %zu tracks, %d inferences, %.2f s of processor time for them\n", run.frames,
              run.at_end.size(), said["inferences"].get<int>(), said["cpu_seconds"].get<double>());
}

} // namespace

int main(int argc, char **argv) {
  constexpr int wanted = 6;
  gst_init(&argc, &argv);
  if (argc != wanted) {
    std::fprintf(stderr, "usage: detector-tracks MONITOR.yaml VIDEO LABEL OUT \"CHAIN\"\n");
    return 2;
  }
  try {
    play(argv[1], argv[2], argv[3], argv[4], argv[5]);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "detector-tracks: %s\n", e.what());
    return 1;
  }
}
