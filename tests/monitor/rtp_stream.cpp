// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream for WebRTC: which orders of pictures it takes for B-frames, and that a decoder can begin at each
// key picture.
#include "tools/vigil-monitor/live/rtp_stream.h"

#include "gst/video/gst_ptr.h"
#include "tests/unit.h"

#include <algorithm>
#include <chrono>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
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

// The kinds of NAL units of H.265 in each key picture that comes (RFC 7798).
class Keys final : public RtpViewer {
 public:
  void picture(const RtpUnitPtr &unit) override {
    std::vector<int> kinds;
    for (const RtpBuffer &packet : unit->packets) look(packet.get(), kinds);
    const std::lock_guard guard(lock_);
    all_++;
    if (unit->key) keys_.push_back(kinds);
  }
  void sound(const RtpUnitPtr &) override {}
  std::size_t all() const {
    const std::lock_guard guard(lock_);
    return all_;
  }
  std::vector<std::vector<int>> keys() const {
    const std::lock_guard guard(lock_);
    return keys_;
  }

 private:
  static void look(GstBuffer *packet, std::vector<int> &kinds) {
    constexpr std::size_t header = 12;
    constexpr int several = 48, part = 49;
    std::string bytes(gst_buffer_get_size(packet), 0);
    gst_buffer_extract(packet, 0, bytes.data(), bytes.size());
    const auto at = [&](std::size_t n) { return static_cast<unsigned char>(bytes.at(n)); };
    const int kind = at(header) >> 1 & 63;
    if (kind == part) kinds.push_back(at(header + 2) & 63);
    if (kind != part && kind != several) kinds.push_back(kind);
    for (std::size_t n = header + 2; kind == several && n + 2 < bytes.size();
         n += 2 + (at(n) << 8 | at(n + 1)))
      kinds.push_back(at(n + 2) >> 1 & 63);
  }
  mutable std::mutex lock_;
  std::size_t all_ = 0;
  std::vector<std::vector<int>> keys_;
};

// Key pictures that are no IDR pictures, as of encoders with open groups: the parameter sets are in front of
// each.
void open_groups() {
  const vigil::gst::ObjectPtr<GstElementFactory> encoder(gst_element_factory_find("x265enc"));
  if (!encoder) {
    std::puts("SKIPPED in part: no x265enc");
    return;
  }
  const vigil::gst::ObjectPtr<GstElement> made(gst_parse_launch(
      "videotestsrc num-buffers=40 pattern=ball ! video/x-raw,width=160,height=96,framerate=25/1 ! "
      "x265enc speed-preset=ultrafast tune=zerolatency key-int-max=10 ! h265parse ! "
      "video/x-h265,stream-format=hvc1,alignment=au ! appsink name=out sync=false",
      nullptr));
  const vigil::gst::ObjectPtr<GstElement> out(gst_bin_get_by_name(GST_BIN(made.get()), "out"));
  gst_element_set_state(made.get(), GST_STATE_PLAYING);
  std::unique_ptr<RtpStream> stream;
  const auto viewer = std::make_shared<Keys>();
  std::size_t sent = 0;
  while (const vigil::gst::SamplePtr s{gst_app_sink_pull_sample(GST_APP_SINK(out.get()))}) {
    if (!stream) {
      stream = std::make_unique<RtpStream>(gst_sample_get_caps(s.get()), nullptr);
      stream->join(viewer);
    }
    stream->push(gst_sample_get_buffer(s.get()), 100 + 0.04 * double(sent++));
  }
  gst_element_set_state(made.get(), GST_STATE_NULL);
  for (int i = 0; i < 30000 && viewer->all() < sent; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  expect(sent == 40 && viewer->all() == sent, std::to_string(viewer->all()) + " of " + std::to_string(sent));
  int others = 0; // than IDR pictures
  for (const std::vector<int> &kinds : viewer->keys()) {
    constexpr int first_key = 16, last_key = 21, cra = 21;
    std::string words;
    for (const int kind : kinds) words += " " + std::to_string(kind);
    const auto picture = std::find_if(kinds.begin(), kinds.end(),
                                      [](int kind) { return kind >= first_key && kind <= last_key; });
    if (picture != kinds.end() && *picture == cra) others++;
    for (const int set : {32, 33, 34})
      expect(std::count(kinds.begin(), picture, set) > 0, "a key picture has its parameter sets:" + words);
  }
  expect(viewer->keys().size() == 4 && others == 3, std::to_string(others) + " open groups");
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  return vigil::test::run_cases("test-monitor-rtp-stream",
                                {{"B-frames", b_frames}, {"clocks", clocks}, {"open groups", open_groups}});
}
