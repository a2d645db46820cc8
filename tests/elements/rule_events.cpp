// SPDX-License-Identifier: LGPL-2.1-or-later
// The events of boxrules on the frames are those on the bus: the same ones, in the same order, with the same
// fields. Usage: test-rule-events drawn | videos
//   drawn    scenes of scenetestsrc, which together have every kind of event
//   videos   the labelled videos in VIGIL_DATA, whole
#include "gst/metadata/rule_meta.h"
#include "gst/metadata/track_meta.h"
#include "tests/unit.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

using namespace vigil::gst;
using namespace vigil::test;

namespace {

// Zones and lines that catch all that a picture can have.
constexpr const char *all_rules =
    "{\"zones\":[{\"name\":\"left\",\"polygon\":[[0,0],[0.5,0],[0.5,1],[0,1]],\"loitering\":1,"
    "\"crowd\":{\"count\":2,\"seconds\":0.2},\"left-object\":1,\"max-speed\":5},"
    "{\"name\":\"all\",\"polygon\":[[0,0],[1,0],[1,1],[0,1]],\"loitering\":2,\"left-object\":2}],"
    "\"lines\":[{\"name\":\"gate\",\"points\":[[0.5,0],[0.5,1]],\"wrong-way\":\"forward\"},"
    "{\"name\":\"kerb\",\"points\":[[0,0.6],[1,0.6]],\"wrong-way\":\"backward\"}]}";

struct Seen {
  std::vector<std::string> bus, frames;
  std::map<std::string, int> kinds;
  int frames_with_events = 0, of_tracks = 0, without_frame = 0;
  std::string error;
};

std::string words_of(const GstStructure *s) {
  gchar *text = gst_structure_to_string(s);
  std::string out = text;
  g_free(text);
  return out;
}

GstBusSyncReply on_message(GstBus *, GstMessage *m, gpointer user) {
  auto &seen = *static_cast<Seen *>(user);
  if (GST_MESSAGE_TYPE(m) == GST_MESSAGE_ELEMENT &&
      !std::strcmp(GST_OBJECT_NAME(GST_MESSAGE_SRC(m)), "rules")) {
    const GstStructure *s = gst_message_get_structure(m);
    seen.bus.push_back(words_of(s));
    seen.kinds[gst_structure_get_name(s)]++;
  }
  return GST_BUS_PASS;
}

// An event of a track whose box is on the frame is a parameter of that box.
void look_at_box(Seen &seen, GstBuffer *buffer, const GstStructure *event) {
  guint64 id = 0;
  if (!gst_structure_get_uint64(event, "id", &id)) return;
  gpointer state = nullptr;
  while (GstMeta *meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    if (track_of(roi) != id) continue;
    int equal = 0;
    for (const GList *p = roi->params; p; p = p->next)
      equal += gst_structure_is_equal(static_cast<const GstStructure *>(p->data), event) == TRUE;
    expect(equal == 1, "the box has " + std::to_string(equal) + " of " + words_of(event));
    seen.of_tracks++;
  }
}

GstPadProbeReturn on_data(GstPad *, GstPadProbeInfo *info, gpointer user) {
  auto &seen = *static_cast<Seen *>(user);
  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    for (const GstStructure *s : rule_events_of(GST_PAD_PROBE_INFO_EVENT(info))) {
      seen.frames.push_back(words_of(s));
      seen.without_frame++;
    }
    return GST_PAD_PROBE_OK;
  }
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const auto events = rule_events_on(buffer);
  seen.frames_with_events += !events.empty();
  for (const GstStructure *s : events) {
    seen.frames.push_back(words_of(s));
    look_at_box(seen, buffer, s);
  }
  return GST_PAD_PROBE_OK;
}

Seen watch(const std::string &source) {
  Seen seen;
  const std::string text =
      source + " ! videoconvert ! cudamog backend=cpu output=passthrough absorb-after=60 ! boxtrack ! "
               "boxrules name=rules ! fakesink name=out sync=false";
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(text.c_str(), &error);
  if (error) {
    seen.error = error->message;
    g_error_free(error);
    if (pipeline) gst_object_unref(pipeline);
    return seen;
  }
  GstElement *rules = gst_bin_get_by_name(GST_BIN(pipeline), "rules");
  g_object_set(rules, "rules", all_rules, nullptr);
  gst_object_unref(rules);
  GstElement *out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  GstPad *pad = gst_element_get_static_pad(out, "sink");
  gst_pad_add_probe(
      pad, static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
      on_data, &seen, nullptr);
  gst_object_unref(pad);
  gst_object_unref(out);
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_bus_set_sync_handler(bus, on_message, &seen, nullptr);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage *last = gst_bus_timed_pop_filtered(
      bus, GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (GST_MESSAGE_TYPE(last) == GST_MESSAGE_ERROR) {
    gst_message_parse_error(last, &error, nullptr);
    seen.error = error->message;
    g_error_free(error);
  }
  gst_message_unref(last);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  return seen;
}

// Whether both lists are the same; says at which event they differ.
Seen compare(const std::string &name, const std::string &source) {
  Seen seen = watch(source);
  expect(seen.error.empty(), name + ": " + seen.error);
  const std::size_t common = std::min(seen.bus.size(), seen.frames.size());
  std::size_t at = 0;
  while (at < common && seen.bus[at] == seen.frames[at]) at++;
  const auto shown = [&](const std::vector<std::string> &v) { return at < v.size() ? v[at] : "nothing"; };
  expect(at == seen.bus.size() && at == seen.frames.size(), name + ": event " + std::to_string(at) +
                                                                " is on the bus " + shown(seen.bus) +
                                                                ", on the frames " + shown(seen.frames));
  std::printf("%s: %zu events on the bus, %zu on %d frames and behind them (%d), %d on boxes of tracks\n",
              name.c_str(), seen.bus.size(), seen.frames.size(), seen.frames_with_events, seen.without_frame,
              seen.of_tracks);
  std::fflush(stdout);
  return seen;
}

void drawn() {
  std::map<std::string, int> kinds;
  int of_tracks = 0, without_frame = 0;
  const std::pair<const char *, int> scenes[] = {
      {"street", 400}, {"traffic", 400}, {"left-bag", 600}, {"crowd", 400}};
  for (const auto &[scene, frames] : scenes) {
    const Seen seen =
        compare(scene, "scenetestsrc quiet=1 num-buffers=" + std::to_string(frames) + " scene=" + scene +
                           " ! video/x-raw,format=GRAY8,width=320,height=240,framerate=15/1");
    for (const auto &[kind, n] : seen.kinds) kinds[kind] += n;
    of_tracks += seen.of_tracks;
    without_frame += seen.without_frame;
  }
  for (const char *kind : {"zone-enter", "zone-leave", "zone-count", "loitering", "crowd", "line-cross",
                           "wrong-way", "object-left", "object-removed", "speed"})
    expect(kinds[kind] > 0, std::string("no scene has the event ") + kind);
  expect(of_tracks > 20, "few events are on the boxes of their tracks: " + std::to_string(of_tracks));
  expect(without_frame > 0, "no event came at the end of a stream");
}

std::vector<std::pair<std::string, std::string>> videos_in(const std::filesystem::path &data) {
  std::vector<std::pair<std::string, std::string>> all;
  const struct {
    const char *folder, *pattern;
    int first, rate;
  } pictures[] = {{"cdnet_highway", "input/in%06d.jpg", 1, 25},
                  {"cdnet_pedestrians", "input/in%06d.jpg", 1, 25},
                  {"wallflower_WavingTrees", "input/b%05d.png", 0, 15},
                  {"pets2001_illumination", "input/in%06d.jpg", 421, 25},
                  {"remotescene_ir_1", "input/in%06d.png", 1, 25},
                  {"remotescene_ir_3", "input/in%06d.png", 1, 25},
                  {"remotescene_ir_5", "input/in%06d.png", 1, 25},
                  {"remotescene_ir_7-1", "input/in%06d.png", 1, 25},
                  {"remotescene_ir_7-3", "input/in%06d.png", 1, 25},
                  {"remotescene_ir_8-2", "input/in%06d.png", 1, 25},
                  {"ucsd_ped2/01", "%03d.jpg", 0, 10},
                  {"ucsd_ped2/02", "%03d.jpg", 0, 10},
                  {"ucsd_ped2/04", "%03d.jpg", 0, 10}};
  for (const auto &p : pictures) {
    if (!std::filesystem::is_directory(data / p.folder)) continue;
    const std::string type = std::strstr(p.pattern, ".png") ? "png" : "jpeg";
    all.emplace_back(p.folder, "multifilesrc location=" + (data / p.folder / p.pattern).string() +
                                   " start-index=" + std::to_string(p.first) + " caps=image/" + type +
                                   ",framerate=" + std::to_string(p.rate) + "/1 ! decodebin");
  }
  if (!std::filesystem::is_directory(data)) return all;
  for (const auto &folder : std::filesystem::directory_iterator(data)) {
    if (!folder.is_directory()) continue;
    for (const auto &file : std::filesystem::directory_iterator(folder))
      if (const std::string end = file.path().extension(); end == ".mp4" || end == ".avi")
        all.emplace_back(folder.path().filename().string() + "/" + file.path().filename().string(),
                         "filesrc location=\"" + file.path().string() + "\" ! decodebin");
  }
  std::sort(all.begin(), all.end());
  return all;
}

void videos(const std::vector<std::pair<std::string, std::string>> &all) {
  std::size_t events = 0;
  for (const auto &[name, source] : all) events += compare(name, source).bus.size();
  expect(events > 100, "the videos have only " + std::to_string(events) + " events");
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (argc < 2 || std::strcmp(argv[1], "videos") != 0) return run_cases("rule events", {{"drawn", drawn}});
  const char *data = std::getenv("VIGIL_DATA");
  const auto all = videos_in(data ? data : "");
  if (all.empty()) {
    std::printf("SKIPPED: no videos in \"%s\"; set VIGIL_DATA to the folder of the labelled videos\n",
                data ? data : "");
    return skipped;
  }
  return run_cases("rule events of videos", {{"videos", [&] { videos(all); }}});
}
