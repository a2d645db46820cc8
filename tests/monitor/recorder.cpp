// SPDX-License-Identifier: LGPL-2.1-or-later
// The recorder and its files, with streams that are made here: other sizes within a clip, frames without
// times, groups that are larger than the memory, disks that hang. Usage: test-monitor-recorder FOLDER
#include "tools/vigil-monitor/camera/recorder.h"
#include "gst/video/gst_ptr.h"
#include "tests/monitor/pipelines.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/camera/live_mp4.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gst/app/gstappsink.h>
#include <map>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect, test::samples_of, test::Stream;
namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;

constexpr int fps = 15, group = 15;

Stream make_stream(int frames, int width = 160, int height = 90) {
  return samples_of("videotestsrc pattern=ball num-buffers=" + std::to_string(frames) +
                    " ! video/x-raw,format=I420,width=" + std::to_string(width) +
                    ",height=" + std::to_string(height) + ",framerate=" + std::to_string(fps) +
                    "/1 ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=" +
                    std::to_string(group) + " ! h264parse ! video/x-h264,stream-format=avc,alignment=au");
}

// Pictures that can be decoded.
std::size_t pictures(const std::string &file) {
  return samples_of("filesrc location=" + file + " ! decodebin").frames.size();
}
std::size_t packets(const std::string &file) {
  return samples_of("filesrc location=" + file + " ! qtdemux").frames.size();
}

// A recorder with what it says.
class Recording {
 public:
  explicit Recording(const std::string &folder) : folder_(folder) {
    fs::remove_all(folder);
    RecorderNews news;
    news.finished = [this](const std::string &event, const ClipResult &r) {
      const std::lock_guard guard(lock_);
      finished_[event].push_back(r);
      more_.notify_all();
    };
    news.broke_off = [this](const std::vector<std::string> &events) {
      broken.insert(broken.end(), events.begin(), events.end());
    };
    news.warning = [this](const std::string &text) { warnings.push_back(text); };
    news.over = [this](const std::string &event, const ClipSpan &span) { over[event] = span; };
    recorder = std::make_unique<Recorder>(1, threads, news);
  }
  ~Recording() {
    recorder.reset();
    threads->wait(20s);
  }
  std::string file(const std::string &event) const { return folder_ + "/of/a/camera/" + event + ".mp4"; }
  bool begin(const std::string &event) { return recorder->begin(event, file(event), time, 1e9); }
  void feed(GstBuffer *buffer) {
    recorder->frame(buffer, time);
    time += 1.0 / fps;
    // As fast as the disk takes them, however slow it is.
    while (!hangs && threads->bytes > 8 << 20) std::this_thread::sleep_for(1ms);
  }
  void feed(const Stream &s, std::size_t from = 0, std::size_t to = SIZE_MAX) {
    recorder->caps(s.caps.get());
    for (std::size_t i = from; i < std::min(to, s.frames.size()); i++) feed(s.frames[i].get());
  }
  ClipResult result(const std::string &event) {
    std::unique_lock guard(lock_);
    more_.wait_for(guard, 60s, [&] { return finished_.count(event) > 0; });
    expect(finished_[event].size() == 1, event + " finishes once");
    return finished_[event].empty() ? ClipResult{} : finished_[event][0];
  }
  bool whole(const std::string &event) {
    const ClipResult r = result(event);
    if (!r.why.empty()) std::printf("%s: %s\n", event.c_str(), r.why.c_str());
    return r.good && r.why.empty() && r.bytes > 0 && !fs::exists(file(event) + ".part");
  }

  const std::shared_ptr<ClipThreads> threads = std::make_shared<ClipThreads>();
  std::unique_ptr<Recorder> recorder;
  double time = 100;
  bool hangs = false;
  std::vector<std::string> broken, warnings;
  std::map<std::string, ClipSpan> over;

 private:
  const std::string folder_;
  std::mutex lock_;
  std::condition_variable more_;
  std::map<std::string, std::vector<ClipResult>> finished_;
};

void plain(const std::string &folder, const Stream &s) {
  Recording r(folder);
  expect(!r.begin("early"), "no stream yet");
  r.feed(s, 0, 40);
  expect(r.begin("event") && r.recorder->recording(), "a clip begins");
  r.feed(s, 40, 60);
  r.recorder->end_after("event", r.time - 0.01);
  r.feed(s, 60);
  expect(!r.recorder->recording() && r.whole("event"), "it is whole");
  const std::size_t n = pictures(r.file("event"));
  expect(n == 60 - 15, "from the last key frame a second before: " + std::to_string(n));
}

// Clips that are parts of the recording: their spans, and no file.
void parts(const std::string &folder, const Stream &s) {
  Recording r(folder);
  expect(!r.recorder->begin_part("early", 90, 1e9), "no stream yet");
  r.feed(s, 0, 20);
  const double begun = r.time;
  expect(r.recorder->begin_part("event", begun - 0.5, 1e9) &&
             r.recorder->begin_part("old", begun - 1000, 1e9) && r.recorder->recording(),
         "they begin");
  r.feed(s, 20, 40);
  const double end = r.time - 0.01;
  r.recorder->end_after("event", end);
  r.feed(s, 40, 45);
  expect(r.over.size() == 1 && r.over["event"].from == begun - 0.5 && r.over["event"].to == end &&
             r.over["event"].utc == 1e9,
         "one is over when its time has come");
  const double last = r.time - 1.0 / fps;
  r.feed(make_stream(30, 320, 180));
  expect(r.broken == std::vector<std::string>{"old"} && r.over["old"].from == 100 &&
             std::abs(r.over["old"].to - last) < 0.001,
         "another where the stream becomes another one; it does not go back beyond its begin");
  expect(r.recorder->begin_part("open", r.time, 1e9), "one more");
  r.recorder->reset();
  expect(!r.recorder->recording() && !fs::exists(r.file("event")),
         "nothing goes on, and nothing was written");
  expect(r.result("open").why.find("key frame") != std::string::npos, "one without a picture says so");
}

void other_size(const std::string &folder, const Stream &s) {
  const Stream small = make_stream(45, 80, 60);
  Recording r(folder);
  r.feed(s, 0, 15);
  expect(r.begin("first"), "a clip");
  r.feed(s, 15, 45);
  r.recorder->caps(small.caps.get());
  expect(r.broken == std::vector<std::string>{"first"}, "it is said whose clip ends at the new size");
  expect(r.begin("second"), "the next one may begin before the first frame of the new size");
  r.feed(small);
  r.recorder->reset();
  expect(r.whole("first") && r.whole("second"), "both clips are whole");
  const std::size_t one = pictures(r.file("first")), two = pictures(r.file("second"));
  expect(one == 45 && two == 45, "all pictures: " + std::to_string(one) + " and " + std::to_string(two));
  r.feed(s, 0, 5);
  expect(r.broken.size() == 1, "no clip, no news");
  expect(r.begin("third"), "a clip");
  r.recorder->reset();
  r.recorder->caps(s.caps.get());
  expect(r.begin("fourth"), "before the first frame");
  r.recorder->reset();
  expect(!r.result("fourth").good && !fs::exists(r.file("fourth") + ".part"),
         "no frame, no clip, but a word");
}

// The camera says another rate, as at dusk: the clip ends there, which is said, and the next one begins.
void other_rate(const std::string &folder, const Stream &s) {
  Recording r(folder);
  r.feed(s, 0, 15);
  expect(r.begin("first"), "a clip");
  r.feed(s, 15, 30);
  Stream faster;
  faster.caps.reset(gst_caps_copy(s.caps.get()));
  gst_caps_set_simple(faster.caps.get(), "framerate", GST_TYPE_FRACTION, 2 * fps, 1, nullptr);
  r.recorder->caps(faster.caps.get());
  expect(r.broken == std::vector<std::string>{"first"}, "it is said whose clip ends at the new rate");
  expect(r.begin("second"), "the next one");
  faster.frames.reserve(45);
  for (std::size_t i = 30; i < 75; i++) faster.frames.emplace_back(gst_buffer_ref(s.frames[i].get()));
  r.feed(faster);
  r.recorder->reset();
  expect(r.whole("first") && r.whole("second"), "both clips are whole");
  const std::size_t one = pictures(r.file("first")), two = pictures(r.file("second"));
  expect(one == 30 && two == 45, "all pictures: " + std::to_string(one) + " and " + std::to_string(two));
}

gst::BufferPtr copy_of(GstBuffer *b) {
  return gst::BufferPtr(gst_buffer_copy(b));
}

gst::BufferPtr without_time(GstBuffer *b) {
  gst::BufferPtr out = copy_of(b);
  GST_BUFFER_PTS(out.get()) = GST_BUFFER_DTS(out.get()) = GST_CLOCK_TIME_NONE;
  return out;
}

// As it comes from a camera that sends an SEI with the marker bit before each picture.
gst::BufferPtr sei_of(GstBuffer *picture) {
  static const std::uint8_t sei[] = {0, 0, 0, 21, 6,  5,  17, 1,  2,  3,  4,   5,   6,
                                     7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 'x', 0x80};
  GstBuffer *out = gst_buffer_new_memdup(sei, sizeof sei);
  GST_BUFFER_PTS(out) = GST_BUFFER_PTS(picture);
  GST_BUFFER_DTS(out) = GST_BUFFER_DTS(picture);
  GST_BUFFER_FLAG_SET(out, GST_BUFFER_FLAG_DELTA_UNIT);
  return gst::BufferPtr(out);
}

void missing_times(const std::string &folder, const Stream &s) {
  enum class Way { sei, pairs, all_but_first, none };
  for (const auto &[way, name] : {std::pair{Way::sei, "sei"},
                                  {Way::pairs, "pairs"},
                                  {Way::all_but_first, "all-but-first"},
                                  {Way::none, "none"}}) {
    Recording r(folder);
    r.recorder->caps(s.caps.get());
    for (std::size_t i = 0; i < s.frames.size(); i++) {
      GstBuffer *b = s.frames[i].get();
      const bool untimed = way == Way::sei || way == Way::none || (way == Way::pairs && i % 2) ||
                           (way == Way::all_but_first && i > 0);
      if (way == Way::sei) r.recorder->frame(sei_of(b).get(), r.time);
      r.feed(untimed ? without_time(b).get() : b);
      if (i == 0) expect(r.begin(name), "a clip");
    }
    r.recorder->reset();
    expect(r.whole(name), std::string("a clip of frames without times: ") + name);
    const Stream decoded = samples_of("filesrc location=" + r.file(name) + " ! decodebin");
    const std::size_t n = decoded.frames.size();
    expect(n == s.frames.size(), std::string("all pictures: ") + name + ": " + std::to_string(n) + " of " +
                                     std::to_string(packets(r.file(name))));
    bool later = n > 1;
    for (std::size_t i = 1; i < n; i++)
      later = later && GST_BUFFER_PTS(decoded.frames[i].get()) > GST_BUFFER_PTS(decoded.frames[i - 1].get());
    expect(later, std::string("each later than the one before: ") + name);
    const double length =
        n ? static_cast<double>(GST_BUFFER_PTS(decoded.frames[n - 1].get())) / GST_SECOND : 0;
    const double right = static_cast<double>(s.frames.size() - 1) / fps;
    expect(length > right - 0.2 && length < right + 0.2,
           std::string("as long as it was: ") + name + ": " + std::to_string(length));
    if (way == Way::sei) expect(packets(r.file(name)) == n, "an SEI is with its picture");
  }
}

// A group that is larger than the memory. All its frames are one piece of memory.
void long_group(const std::string &folder, const Stream &s) {
  Recording r(folder);
  constexpr std::size_t size = 4 << 20, many = Recorder::most_bytes / size + 4;
  GstBuffer *large = gst_buffer_new_allocate(nullptr, size, nullptr);
  gst_buffer_memset(large, 0, 1, size);
  const std::uint8_t head[] = {0, 0x3f, 0xff, 0xfc, 1}; // one slice
  gst_buffer_fill(large, 0, head, sizeof head);
  const gst::BufferPtr owner(large);
  r.feed(s, 0, 16);
  expect(r.begin("before"), "a clip");
  GstClockTime at = GST_BUFFER_PTS(s.frames[15].get());
  const auto next = [&] {
    gst::BufferPtr b = copy_of(large);
    at += GST_SECOND / fps;
    GST_BUFFER_PTS(b.get()) = GST_BUFFER_DTS(b.get()) = at;
    GST_BUFFER_FLAG_SET(b.get(), GST_BUFFER_FLAG_DELTA_UNIT);
    return b;
  };
  for (std::size_t i = 0; i < many; i++) r.feed(next().get());
  expect(r.recorder->bytes() == 0 && r.recorder->overruns() == 1 && r.warnings.size() == 1,
         "it is said once that the memory is empty");
  expect(r.begin("within"), "a clip that begins with the next key frame");
  r.feed(next().get());
  for (std::size_t i = 15; i < 45; i++) {
    gst::BufferPtr b = copy_of(s.frames[i].get());
    at += GST_SECOND / fps;
    GST_BUFFER_PTS(b.get()) = GST_BUFFER_DTS(b.get()) = at;
    r.feed(b.get());
  }
  r.recorder->reset();
  expect(r.whole("before") && r.whole("within") && r.recorder->lost() == 0, "whole clips");
  const std::size_t before = packets(r.file("before")), within = pictures(r.file("within"));
  expect(before == 16 + many + 1 + 30, "a clip that is under way loses no frame: " + std::to_string(before));
  expect(within == 30, "from the next key frame on: " + std::to_string(within));
}

// The file is a FIFO that nobody reads: to open it hangs.
void hanging_disk(const std::string &folder, const Stream &s) {
  Recording r(folder);
  r.hangs = true;
  fs::create_directories(fs::path(r.file("event")).parent_path());
  const std::string fifo = r.file("event") + ".part";
  expect(mkfifo(fifo.c_str(), 0600) == 0, "a FIFO");
  r.feed(s, 0, 16);
  expect(r.begin("event"), "to begin does not wait for the disk"); // which hangs here
  expect(r.begin("other"), "another clip");
  GstBuffer *large = gst_buffer_new_allocate(nullptr, 4 << 20, nullptr);
  gst_buffer_memset(large, 0, 1, gst_buffer_get_size(large));
  GST_BUFFER_PTS(large) = GST_BUFFER_DTS(large) = GST_BUFFER_PTS(s.frames[16].get());
  GST_BUFFER_FLAG_SET(large, GST_BUFFER_FLAG_DELTA_UNIT);
  const gst::BufferPtr owner(large);
  for (int i = 0; i < 40; i++) r.feed(large);
  expect(r.recorder->lost() > 0 && r.threads->bytes <= ClipThreads::most_bytes, "memory has a limit");
  r.recorder->reset();
  expect(!r.threads->wait(100ms), "it hangs still");
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  std::vector<char> bytes(1 << 20);
  bool got = false; // then nothing: the writer has given up, since it cannot go back in a FIFO
  for (ssize_t n = -1; n != 0 || !got; n = read(reader, bytes.data(), bytes.size())) {
    got = got || n > 0;
    if (n <= 0) std::this_thread::sleep_for(1ms);
  }
  close(reader);
  while (r.threads->clips() > 0) { // it looks for whole seconds in what it wrote
    const int writer = open(fifo.c_str(), O_WRONLY | O_NONBLOCK);
    if (writer >= 0) close(writer);
    std::this_thread::sleep_for(1ms);
  }
  const ClipResult result = r.result("event");
  expect(!result.why.empty(), "what became of it is said: " + result.why);
  expect(r.result("other").good, "another clip does not wait for it");
  expect(r.threads->bytes == 0, "no memory is kept");
}

void bad_places(const std::string &folder, const Stream &s) {
  Recording r(folder);
  r.feed(s, 0, 16);
  fs::create_directories(folder);
  std::ofstream(folder + "/of") << "no folder"; // where the folder of the clips would be
  expect(r.begin("event"), "a clip");
  r.feed(s, 16, 30);
  r.recorder->end_after("event", r.time - 0.01);
  r.feed(s, 30, 40);
  const ClipResult result = r.result("event");
  expect(!result.good && result.why.find(folder + "/of") != std::string::npos, "why: " + result.why);
  for (int i = 0; i < 4; i++) r.begin("one" + std::to_string(i));
  expect(!r.begin("five"), "the number of clips at once has a limit");
}

void no_muxer(const std::string &folder, const Stream &s) {
  GstRegistry *registry = gst_registry_get();
  GstPluginFeature *mux = gst_registry_lookup_feature(registry, "mp4mux");
  gst_registry_remove_feature(registry, mux);
  gst_object_unref(mux);
  Recording r(folder);
  r.feed(s, 0, 16);
  expect(!r.begin("event") && r.warnings.size() == 1 && r.warnings[0].find("mp4mux") != std::string::npos,
         "without mp4mux there is no clip, and it is said");
  r.feed(s, 16);
  const auto writer =
      ClipWriter::begin(r.threads, r.file("other"), s.caps.get(), [&](const ClipResult &result) {
        expect(!result.good && result.why.find("mp4mux") != std::string::npos, "a writer says so, too");
      });
  expect(writer && r.threads->wait(20s), "and ends");
}

// A viewer of MP4 who takes nothing is ended within limits of memory. The streaming thread waits for nobody,
// and another viewer gets each picture.
void slow_viewer(const std::string &folder) {
  const Stream s =
      samples_of("videotestsrc pattern=snow num-buffers=30 ! video/x-raw,format=I420,width=640,height=360,"
                 "framerate=15/1 ! x264enc tune=zerolatency speed-preset=ultrafast pass=quant "
                 "quantizer=8 key-int-max=15 ! h264parse ! video/x-h264,stream-format=avc,alignment=au");
  LiveMp4 deaf(s.caps.get(), nullptr), good(s.caps.get(), nullptr);
  fs::create_directories(folder);
  const std::string file = folder + "/live.mp4";
  std::atomic<std::size_t> taken = 0;
  std::thread reader([&] {
    std::ofstream out(file, std::ios::binary);
    while (const Bytes piece = good.next()) {
      out << *piece;
      taken += piece->size();
    }
  });
  std::size_t sent = 0, shown = 0;
  auto longest = 0ns;
  for (; sent < std::size_t{48} << 20; shown++) {
    gst::BufferPtr frame(gst_buffer_copy(s.frames[shown % s.frames.size()].get()));
    GST_BUFFER_PTS(frame.get()) = GST_BUFFER_DTS(frame.get()) = shown * GST_SECOND / fps;
    sent += gst_buffer_get_size(frame.get());
    const auto begun = std::chrono::steady_clock::now();
    deaf.push(frame.get(), 100 + double(shown) / fps);
    longest = std::max(longest, std::chrono::steady_clock::now() - begun);
    good.push(frame.get(), 100 + double(shown) / fps);
    for (int i = 0; i < 30000 && taken + (4 << 20) < sent; i++) std::this_thread::sleep_for(1ms);
  }
  good.end();
  reader.join();
  std::size_t left = 0;
  while (const Bytes piece = deaf.next()) left += piece->size();
  std::printf("sent %zu bytes; who takes nothing had %zu of them; the longest push took %.1f ms\n", sent,
              left, double(longest.count()) / 1e6);
  expect(left > 0 && left < sent / 2 + (std::size_t{8} << 20),
         "the memory of a viewer who takes nothing has a limit");
  expect(longest < 5s, "the streaming thread does not wait for a viewer");
  expect(pictures(file) == shown, "the other viewer has each picture");
}

// A camera has so many places for viewers, and a stream to show from its first key frame on.
void places_of_viewers(const std::string &folder, const Stream &s) {
  Recording r(folder);
  const auto watch = [&] {
    return r.recorder->watch(
        [](const Recorder::Stream &of) { return std::make_shared<LiveMp4>(of.video, nullptr); });
  };
  expect(!r.recorder->takes_viewers() && !watch(), "no stream yet");
  r.recorder->caps(s.caps.get());
  expect(!r.recorder->takes_viewers() && !watch(), "no key frame yet");
  r.feed(s, 0, 2);
  std::vector<std::shared_ptr<StreamViewer>> viewers;
  for (; r.recorder->takes_viewers() && viewers.size() < 100; viewers.push_back(watch()))
    if (!viewers.empty()) expect(viewers.back() != nullptr, "a place that is free is given");
  expect(viewers.size() == 16 && !watch(), std::to_string(viewers.size()) + " places");
  r.recorder->unwatch(viewers.back());
  expect(r.recorder->takes_viewers(), "a place is free again");
  for (const auto &v : viewers) r.recorder->unwatch(v);
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  const std::string folder = std::string(argv[1]) + "/monitor-recorder";
  const Stream s = make_stream(75);
  if (s.frames.empty()) {
    std::printf("SKIPPED: no x264enc, which makes the streams\n");
    return 77;
  }
  constexpr unsigned long_enough = 250;
  alarm(long_enough); // ends a test that hangs
  const std::vector<vigil::test::Case> cases = {
      {"plain", [&] { plain(folder, s); }},
      {"parts", [&] { parts(folder, s); }},
      {"other size", [&] { other_size(folder, s); }},
      {"other rate", [&] { other_rate(folder, s); }},
      {"missing times", [&] { missing_times(folder, s); }},
      {"long group", [&] { long_group(folder, s); }},
      {"hanging disk", [&] { hanging_disk(folder, s); }},
      {"slow viewer", [&] { slow_viewer(folder); }},
      {"places of viewers", [&] { places_of_viewers(folder, s); }},
      {"bad places", [&] { bad_places(folder, s); }},
      {"no muxer", [&] { no_muxer(folder, s); }}, // last: it is gone from then on
  };
  return vigil::test::run_cases("monitor recorder", cases);
}
