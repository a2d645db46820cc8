// SPDX-License-Identifier: LGPL-2.1-or-later
// Which buffers of a stream get the time at which they came. By HTTP the first JPEG picture has the time 0
// and no other has one; a decoder of GStreamer 1.24 makes times of its own for those.
#include "tools/vigil-monitor/camera/arrival_times.h"
#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "tests/monitor/pipelines.h"
#include "tests/unit.h"

#include <gst/app/gstappsrc.h>
#include <string>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect, test::launch;

namespace {

GstPadProbeReturn note_time(GstPad *, GstPadProbeInfo *info, gpointer user) {
  static_cast<std::vector<GstClockTime> *>(user)->push_back(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
  return GST_PAD_PROBE_OK;
}

// The times of buffers of a live stream that came with `given` times, so many milliseconds apart.
std::vector<GstClockTime> times(const std::string &caps, const std::vector<GstClockTime> &given,
                                gulong apart = 20) {
  const auto p =
      launch("appsrc name=in format=time is-live=true caps=" + caps + " ! fakesink name=out sync=false");
  const gst::ObjectPtr<GstElement> in(gst_bin_get_by_name(GST_BIN(p.get()), "in")),
      out(gst_bin_get_by_name(GST_BIN(p.get()), "out"));
  const gst::ObjectPtr<GstPad> src(gst_element_get_static_pad(in.get(), "src")),
      sink(gst_element_get_static_pad(out.get(), "sink"));
  std::vector<GstClockTime> found;
  ArrivalTimes::watch(src.get(), p.get());
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, note_time, &found, nullptr);
  gst_element_set_state(p.get(), GST_STATE_PLAYING);
  for (const GstClockTime t : given) {
    GstBuffer *b = gst_buffer_new_allocate(nullptr, 16, nullptr);
    GST_BUFFER_PTS(b) = t;
    gst_app_src_push_buffer(GST_APP_SRC(in.get()), b);
    g_usleep(1000 * apart);
  }
  gst_app_src_end_of_stream(GST_APP_SRC(in.get()));
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(p.get()));
  GstMessage *end = gst_bus_timed_pop_filtered(
      bus.get(), 20 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  expect(end && GST_MESSAGE_TYPE(end) == GST_MESSAGE_EOS, caps + ": the stream comes to its end");
  if (end) gst_message_unref(end);
  gst_element_set_state(p.get(), GST_STATE_NULL);
  expect(found.size() == given.size(), text(caps, ": ", found.size(), " buffers of ", given.size()));
  return found;
}

constexpr GstClockTime none = GST_CLOCK_TIME_NONE;

void pictures() {
  const auto found = times("image/jpeg", {0, none, none, none});
  for (std::size_t i = 1; i < found.size(); i++)
    expect(found[i] != none && found[i] >= found[i - 1] && found[i] < 20 * GST_SECOND,
           text("picture ", i, " has the time ", found[i]));
  expect(times("image/jpeg", {GST_SECOND, 2 * GST_SECOND}).back() == 2 * GST_SECOND,
         "times that are there stay");
}

void coded() {
  const std::string h264 = "video/x-h264,stream-format=byte-stream,alignment=au";
  expect(times(h264, {GST_SECOND, none, 2 * GST_SECOND})[1] == none,
         "of a stream with times a frame without stays so");
  // The source gives its first buffer the time 0.
  expect(times(h264, {none, none}, 1100)[1] != none, "a stream that has had no times for a second gets them");
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  const std::vector<test::Case> cases = {{"JPEG pictures", pictures}, {"coded frames", coded}};
  return test::run_cases("monitor arrival times", cases);
}
