// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream for WebRTC: which orders of pictures it takes for B-frames.
#include "tools/vigil-monitor/live/rtp_stream.h"

#include "tests/unit.h"

#include <gst/gst.h>
#include <vector>

using namespace vigil::monitor;
using vigil::test::expect;

namespace {

// A stream that gets pictures of these times, in milliseconds.
bool is_reordered(const std::vector<int> &times) {
  GstCaps *caps = gst_caps_from_string("video/x-h264, stream-format=avc, alignment=au, "
                                       "codec_data=(buffer)014d401fffe1000c674d401fda014016ec0440"
                                       "0001000468ce3c80, width=640, height=360, framerate=25/1");
  RtpStream stream(caps, nullptr);
  gst_caps_unref(caps);
  for (const int t : times) {
    GstBuffer *picture = gst_buffer_new_allocate(nullptr, 16, nullptr);
    gst_buffer_memset(picture, 0, 0, 16);
    GST_BUFFER_PTS(picture) = GstClockTime(t) * GST_MSECOND;
    stream.push(picture, 1e9 + t / 1000.);
    gst_buffer_unref(picture);
  }
  return stream.reordered();
}

std::vector<int> in_order(int from, int pictures) {
  std::vector<int> times;
  for (int i = 0; i < pictures; i++) times.push_back(from + 40 * i);
  return times;
}

void b_frames() {
  std::vector<int> times = {0}; // I, then P B B of 25 pictures a second, as they are decoded
  for (int group = 0; group < 8; group++)
    for (const int i : {3, 1, 2}) times.push_back((3 * group + i) * 40);
  expect(is_reordered(times), "two B-frames between others");
  times.clear();
  for (int pair = 0; pair < 8; pair++)
    for (const int i : {2, 1}) times.push_back((2 * pair + i) * 40);
  expect(is_reordered(times), "every second picture is a B-frame");
}

void clocks() {
  expect(!is_reordered(in_order(0, 100)), "pictures in order");
  std::vector<int> corrected = in_order(1000, 50);
  for (const int t : in_order(1000 + 49 * 40 - 300, 50)) corrected.push_back(t);
  expect(!is_reordered(corrected), "a clock that is set back by 0.3 s");
  for (const int t : in_order(corrected.back() - 500, 50)) corrected.push_back(t);
  expect(!is_reordered(corrected), "and once more after two seconds");
  std::vector<int> again = in_order(5000, 20);
  for (const int t : in_order(0, 20)) again.push_back(t);
  expect(!is_reordered(again), "a file that begins again");
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  return vigil::test::run_cases("test-monitor-rtp-stream", {{"B-frames", b_frames}, {"clocks", clocks}});
}
