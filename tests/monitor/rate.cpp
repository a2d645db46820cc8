// SPDX-License-Identifier: LGPL-2.1-or-later
// Fewer pictures for the analysis: which of them RateGate lets through, and which compressed frames need not
// be decoded: without them all others decode to the same pixels.
#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "tests/monitor/pipelines.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/camera/decoded_times.h"
#include "tools/vigil-monitor/camera/disposable.h"
#include "tools/vigil-monitor/camera/rate_gate.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect, test::launch;

namespace {

// How many of a camera's frames pass in a minute. They come up to `jitter` of their distance early or late.
int passed(double camera, double wanted, double jitter) {
  RateGate gate(wanted);
  int count = 0;
  for (int n = 0; n < camera * 60; n++) {
    const double late = jitter * (n * 7 % 5 - 2) / 2;
    count += gate.passes((n + late) / camera);
  }
  return count;
}

void rates() {
  const auto about = [](double camera, double wanted, int want) {
    for (const double jitter : {0., 0.3}) {
      const int got = passed(camera, wanted, jitter);
      expect(std::abs(got - want) <= 1, std::to_string(wanted) + " of " + std::to_string(camera) +
                                            " a second: " + std::to_string(got) + " in a minute, not " +
                                            std::to_string(want));
    }
  };
  about(15, 7, 420);
  about(15, 7.5, 450);
  about(15, 5, 300);
  about(15, 14, 840);
  about(30, 0.5, 30);
  about(15, 15, 900); // its own rate, and more than it has: all of them
  about(15, 16, 900);
  about(15, 240, 900);
  about(15, 0, 900);
  RateGate gate(5);
  expect(gate.passes(100) && !gate.passes(100.05), "the second frame is too early");
  expect(gate.will_drop(100.07) && !gate.will_drop(100.12), "which of the next will not pass");
  expect(gate.passes(3), "the time goes back: the next frame passes");
  expect(!gate.will_drop(99) && gate.passes(std::nan("")), "far away, and not known");
  expect(gate.passes(1000) && !gate.passes(1000.05), "after a gap");
}

// A stream at 15 a second whose group of pictures is four long, with as many layers of B frames as the
// pattern names. In the order of decoding: place in the group, and whether other frames need it.
struct Frame {
  int place;
  bool needed;
};
const std::vector<Frame> no_b = {{1, true}, {2, true}, {3, true}, {4, true}},
                         three_b = {{4, true}, {1, false}, {2, false}, {3, false}},
                         pyramid = {{4, true}, {2, true}, {1, false}, {3, false}};

// Of a minute: how many frames are decoded, and how many of these the gate lets through.
std::pair<int, int> minute(const std::vector<Frame> &group, double wanted, int key_every = 20) {
  constexpr double camera = 15;
  RateGate gate(wanted);
  DecodedTimes near;
  std::vector<double> shown;
  for (int n = 0; n < camera * 60; n += 4) {
    if (n % key_every == 0) near.forget();
    for (const Frame &f : group) {
      const double time = (n + f.place) / camera;
      if (!f.needed && near.any_within(gate.early(), time)) continue;
      near.add(time);
      shown.push_back(time);
    }
  }
  std::sort(shown.begin(), shown.end());
  const auto passed = std::count_if(shown.begin(), shown.end(), [&](double t) { return gate.passes(t); });
  return {static_cast<int>(shown.size()), static_cast<int>(passed)};
}

void frames_near_others() {
  const auto is = [](const char *name, std::pair<int, int> got, int decoded, int passed) {
    expect(std::abs(got.first - decoded) <= 45 && std::abs(got.second - passed) <= 2,
           name + text(": ", got.first, " are decoded, ", got.second, " pass"));
  };
  is("no B frames, 5 a second", minute(no_b, 5), 900, 300);
  is("three B frames, 5 a second", minute(three_b, 5), 450, 300);
  is("a pyramid, 5 a second", minute(pyramid, 5), 450, 300);
  is("a pyramid, 15 a second", minute(pyramid, 15), 900, 900);
  is("a pyramid, all", minute(pyramid, 0), 900, 900);
  is("three B frames, 1 a second", minute(three_b, 1), 225, 60);
  DecodedTimes times;
  expect(!times.any_within(1, 0) && !times.any_within(1, std::nan("")), "none yet");
  times.add(10);
  times.add(std::nan(""));
  expect(times.any_within(0.1, 10.05) && !times.any_within(0.1, 10.2) && !times.any_within(0, 10), "near");
  expect(!times.any_within(1, std::nan("")), "a time that is not known is near nothing");
  times.forget();
  expect(!times.any_within(1, 10), "after a key frame");
}

std::vector<gst::SamplePtr> samples_of(GstElement *pipeline) {
  const gst::ObjectPtr<GstElement> sink(gst_bin_get_by_name(GST_BIN(pipeline), "out"));
  std::vector<gst::SamplePtr> all;
  for (;;) {
    gst::SamplePtr s(gst_app_sink_pull_sample(GST_APP_SINK(sink.get())));
    if (!s) return all;
    all.push_back(std::move(s));
  }
}

// The pixels of each picture, by its time.
std::map<GstClockTime, std::string> decoded(const std::vector<GstSample *> &frames) {
  const auto p = launch("appsrc name=in format=time ! h264parse ! avdec_h264 ! appsink name=out sync=false");
  const gst::ObjectPtr<GstElement> in(gst_bin_get_by_name(GST_BIN(p.get()), "in"));
  gst_element_set_state(p.get(), GST_STATE_PLAYING);
  for (GstSample *s : frames) gst_app_src_push_sample(GST_APP_SRC(in.get()), s);
  gst_app_src_end_of_stream(GST_APP_SRC(in.get()));
  std::map<GstClockTime, std::string> pictures;
  for (const gst::SamplePtr &s : samples_of(p.get())) {
    GstBuffer *b = gst_sample_get_buffer(s.get());
    GstMapInfo map;
    if (!gst_buffer_map(b, &map, GST_MAP_READ)) continue;
    pictures[GST_BUFFER_PTS(b)].assign(reinterpret_cast<const char *>(map.data), map.size);
    gst_buffer_unmap(b, &map);
  }
  gst_element_set_state(p.get(), GST_STATE_NULL);
  return pictures;
}

void needless_frames(const std::string &format, int b_frames) {
  constexpr int pictures = 40;
  const std::string name = format + " with " + std::to_string(b_frames) + " B frames: ";
  const auto p =
      launch("videotestsrc pattern=ball num-buffers=" + std::to_string(pictures) +
             " ! video/x-raw,format=I420,width=96,height=64,framerate=15/1 ! x264enc b-adapt=false bframes=" +
             std::to_string(b_frames) +
             " key-int-max=20 speed-preset=veryfast ! h264parse ! video/x-h264,alignment=au,"
             "stream-format=" +
             format + " ! appsink name=out sync=false");
  gst_element_set_state(p.get(), GST_STATE_PLAYING);
  const std::vector<gst::SamplePtr> all = samples_of(p.get());
  std::vector<GstSample *> whole, less;
  for (const gst::SamplePtr &s : all) {
    whole.push_back(s.get());
    if (!nothing_refers_to(gst_sample_get_buffer(s.get()), gst_sample_get_caps(s.get())))
      less.push_back(s.get());
  }
  const std::size_t left_out = whole.size() - less.size();
  expect(whole.size() == pictures, name + std::to_string(whole.size()) + " frames");
  if (b_frames)
    expect(left_out >= pictures / 4 && left_out < pictures,
           name + std::to_string(left_out) + " are needless");
  else
    expect(left_out == 0, name + std::to_string(left_out) + " are needless");
  const auto want = decoded(whole), got = decoded(less);
  expect(want.size() == pictures, name + std::to_string(want.size()) + " pictures");
  expect(got.size() == less.size(), name + std::to_string(got.size()) + " pictures without these");
  for (const auto &[time, pixels] : got) {
    const auto same = want.find(time);
    expect(same != want.end() && same->second == pixels, name + "the same pixels at " + std::to_string(time));
  }
  gst_element_set_state(p.get(), GST_STATE_NULL);
}

void other_streams() {
  const gst::CapsPtr jpeg(gst_caps_from_string("image/jpeg")), other(gst_caps_from_string("video/x-h265"));
  GstBuffer *empty = gst_buffer_new();
  expect(nothing_refers_to(empty, jpeg.get()), "a JPEG picture");
  expect(!nothing_refers_to(empty, other.get()) && !nothing_refers_to(empty, nullptr), "a stream not known");
  const gst::CapsPtr plain(gst_caps_from_string("video/x-h264,stream-format=byte-stream")),
      without(gst_caps_from_string("video/x-h264,stream-format=avc"));
  expect(!nothing_refers_to(empty, plain.get()) && !nothing_refers_to(empty, without.get()), "no slice");
  gst_buffer_unref(empty);
}

int run() {
  const std::vector<test::Case> cases = {
      {"rates", rates},
      {"frames near others", frames_near_others},
      {"needless frames",
       [] {
         for (const char *format : {"avc", "byte-stream"})
           for (const int b_frames : {0, 2}) needless_frames(format, b_frames);
       }},
      {"other streams", other_streams},
  };
  return test::run_cases("monitor rate", cases);
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  for (const char *needed : {"x264enc", "avdec_h264"})
    if (const gst::ObjectPtr<GstElementFactory> f(gst_element_factory_find(needed)); !f) {
      std::printf("SKIPPED: GStreamer has no %s here\n", needed);
      return 77;
    }
  return run();
}
