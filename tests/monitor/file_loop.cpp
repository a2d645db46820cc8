// SPDX-License-Identifier: LGPL-2.1-or-later
// A file that plays ten times through FileLoop: every picture of it comes each time, at even distances, also
// those that a decoder holds back until later ones come. Usage: test-monitor-file-loop FOLDER
#include "tools/vigil-monitor/camera/file_loop.h"
#include "gst/video/gst_ptr.h"
#include "tests/monitor/pipelines.h"
#include "tests/unit.h"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gst/app/gstappsink.h>
#include <memory>
#include <string>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect, test::launch;

namespace {

constexpr unsigned pictures = 15, turns = 10;
constexpr GstClockTime distance = GST_SECOND / 15;

void make(const std::string &file, const std::string &muxer) {
  const auto p = launch("videotestsrc num-buffers=" + std::to_string(pictures) +
                        " ! video/x-raw,format=I420,width=64,height=48,framerate=15/1 ! x264enc bframes=3 "
                        "b-adapt=false ! h264parse ! " +
                        muxer + " ! filesink location=" + file);
  gst_element_set_state(p.get(), GST_STATE_PLAYING);
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(p.get()));
  const auto end = static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  GstMessage *m = gst_bus_timed_pop_filtered(bus.get(), 60 * GST_SECOND, end);
  expect(m && GST_MESSAGE_TYPE(m) == GST_MESSAGE_EOS, file + " is made");
  if (m) gst_message_unref(m);
  gst_element_set_state(p.get(), GST_STATE_NULL);
}

struct Player {
  GstElement *pipeline = nullptr;
  std::unique_ptr<FileLoop> loop;
  std::atomic<unsigned> ends = 0, failed = 0;

  static void pad_added(GstElement *, GstPad *pad, gpointer user) {
    auto &player = *static_cast<Player *>(user);
    player.loop = std::make_unique<FileLoop>(pad, [&player] {
      player.ends++;
      gst_element_call_async(
          player.pipeline,
          [](GstElement *, gpointer p) {
            auto &self = *static_cast<Player *>(p);
            self.failed += !self.loop->rewind();
          },
          &player, nullptr);
    });
  }
};

// Running times of the pictures of ten turns.
std::vector<GstClockTime> play(const std::string &file) {
  Player player;
  const auto p = launch("filesrc location=" + file +
                        " ! parsebin name=parse ! avdec_h264 ! appsink name=sink sync=false max-buffers=4");
  player.pipeline = p.get();
  const gst::ObjectPtr<GstElement> parse(gst_bin_get_by_name(GST_BIN(p.get()), "parse")),
      sink(gst_bin_get_by_name(GST_BIN(p.get()), "sink"));
  g_signal_connect(parse.get(), "pad-added", G_CALLBACK(Player::pad_added), &player);
  gst_element_set_state(p.get(), GST_STATE_PLAYING);
  std::vector<GstClockTime> out;
  while (out.size() < turns * pictures) {
    const gst::SamplePtr sample(gst_app_sink_try_pull_sample(GST_APP_SINK(sink.get()), 10 * GST_SECOND));
    if (!sample) break;
    out.push_back(gst_segment_to_running_time(gst_sample_get_segment(sample.get()), GST_FORMAT_TIME,
                                              GST_BUFFER_PTS(gst_sample_get_buffer(sample.get()))));
  }
  expect(player.ends + 1 >= turns && !player.failed, file + ": " + std::to_string(player.ends) + " ends");
  gst_element_set_state(p.get(), GST_STATE_NULL);
  return out;
}

void ten_turns(const std::string &folder, const std::string &name, const std::string &muxer) {
  const std::string file = folder + "/loop-" + name;
  make(file, muxer);
  const auto times = play(file);
  expect(times.size() == turns * pictures,
         name + ": " + std::to_string(times.size()) + " pictures of " + std::to_string(turns * pictures));
  constexpr GstClockTimeDiff rounding = GST_MSECOND; // of the container's clock
  for (std::size_t i = 1; i < times.size(); i++) {
    const auto step = static_cast<GstClockTimeDiff>(times[i] - times[i - 1]);
    expect(std::abs(step - static_cast<GstClockTimeDiff>(distance)) <= rounding,
           name + ": picture " + std::to_string(i) + " comes " + std::to_string(step) + " ns after the last");
  }
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  for (const char *need : {"x264enc", "h264parse", "avdec_h264", "mp4mux", "matroskamux"})
    if (!gst::ObjectPtr<GstElementFactory>(gst_element_factory_find(need))) {
      std::printf("SKIPPED: there is no element %s\n", need);
      return 77;
    }
  return vigil::test::run_cases(
      "monitor file loop",
      {
          {"ten turns(argv[1], 'film.mp4', 'mp4mux')", [&] { ten_turns(argv[1], "film.mp4", "mp4mux"); }},
          {"ten turns(argv[1], 'film.mkv', 'matroskamux')",
           [&] { ten_turns(argv[1], "film.mkv", "matroskamux"); }},
      });
}
