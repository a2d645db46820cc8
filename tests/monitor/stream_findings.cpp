// SPDX-License-Identifier: LGPL-2.1-or-later
// What is said of a stream before it is a camera's, and how long that takes at most.
#include "tools/vigil-monitor/camera/stream_findings.h"

#include "tests/unit.h"

#include <cmath>
#include <string>

using namespace vigil::monitor;
using vigil::test::expect;

namespace {

const auto jpeg = std::make_shared<const std::string>("picture");

bool near(std::optional<double> a, double b) {
  return a && std::abs(*a - b) < 1e-6;
}

// A clock that each question puts forward by a tenth of a second, and the number of questions.
struct Clock {
  double now = 100;
  double operator()() { return now += .1; }
};

StreamFindings waited(StreamObserver &o, Clock &clock, bool stop = false) {
  return o.wait([&] { return clock(); }, [&] { return stop; });
}

void whole() {
  StreamObserver o(100);
  o.format("h264", 0, 0);
  o.format("h264", 1920, 1080);
  o.sound("opus");
  o.picture(jpeg);
  o.picture(std::make_shared<const std::string>("another"));
  for (int i = 0; i <= 100; i++) o.frame(i % 50 == 0, i / 25.0, 100 + i / 25.0);
  Clock clock{104};
  const StreamFindings f = waited(o, clock);
  expect(f.why.empty() && f.warnings.empty(), "nothing is wrong");
  expect(f.codec == "h264" && f.width == 1920 && f.height == 1080 && f.sound == "opus", "what it is");
  expect(near(f.fps, 25) && near(f.key_seconds, 2) && std::abs(f.seconds - 4) < 1e-6, "rates");
  expect(f.picture == jpeg, "the first picture");
  expect(clock.now < 104.5, "three key frames are enough");
}

// The stream's clock began long after the monotonic one.
void without_times() {
  StreamObserver some(100000);
  for (int i = 0; i <= 100; i++)
    some.frame(i % 50 == 0, i == 0 || i == 30 ? std::optional<double>() : i / 25.0, 100000 + i / 30.0);
  some.picture(jpeg);
  const StreamFindings f = some.findings();
  expect(f.fps && std::abs(*f.fps - 25) < 1 && near(f.key_seconds, 2) && f.seconds < 5,
         "frames without a time do not count: " + std::to_string(f.fps.value_or(0)));
  StreamObserver none(100000);
  for (int i = 0; i <= 100; i++) none.frame(i % 50 == 0, {}, 100000 + i / 25.0);
  const StreamFindings n = none.findings();
  expect(near(n.fps, 25) && near(n.key_seconds, 2), "where none has one, the time at which they come counts");
}

void few_key_frames() {
  StreamObserver o(100);
  o.frame(true, 0, 100);
  for (int i = 1; i < 80; i++) o.frame(false, i / 10.0, 100 + i / 10.0);
  o.picture(jpeg);
  Clock clock{100};
  const StreamFindings f = waited(o, clock);
  expect(clock.now > 107.9 && clock.now < 108.3, "it is looked at for eight seconds");
  expect(!f.key_seconds && near(f.fps, 10) && f.why.empty(), "one key frame has no distance");
}

void nothing() {
  StreamObserver o(100);
  Clock clock{100};
  const StreamFindings f = waited(o, clock);
  expect(clock.now > 107.9 && clock.now < 108.3, "eight seconds without a frame");
  expect(f.why.find("no picture has come in 8 seconds") != f.why.npos, f.why);
  StreamObserver blind(100);
  for (int i = 0; i < 80; i++) blind.frame(false, i / 10.0, 100 + i / 10.0);
  Clock later{108};
  const StreamFindings b = waited(blind, later);
  expect(b.why.empty() && b.warnings.size() == 1 && !b.picture, "frames without a key frame are said");
}

void failed() {
  StreamObserver o(100);
  o.ended("nothing answers");
  o.ended("another reason");
  Clock clock{100};
  expect(waited(o, clock).why == "nothing answers" && clock.now < 100.2, "the first reason, at once");
  StreamObserver explained(100);
  explained.explain("a list of addresses");
  explained.ended("no suitable plugins");
  expect(waited(explained, clock).why == "a list of addresses", "words that help");
  StreamObserver broke_off(100);
  for (int i = 0; i < 20; i++) broke_off.frame(i == 0, i / 10.0, 100 + i / 10.0);
  broke_off.picture(jpeg);
  broke_off.ended("the stream has ended");
  const StreamFindings f = waited(broke_off, clock);
  expect(f.why.empty() && f.warnings.size() == 1, "it was a stream, until it broke off");
  StreamObserver single(100);
  single.frame(true, 0, 100);
  single.picture(jpeg);
  single.ended("the file is no video, but a picture");
  expect(!waited(single, clock).why.empty(), "a picture is no stream");
}

void stopped() {
  StreamObserver o(100);
  Clock clock{100};
  waited(o, clock, true);
  expect(clock.now < 100.2, "the end of the program ends it");
  for (int i = 0; i < 20; i++) o.warning("warning " + std::to_string(i));
  o.warning("warning 1");
  expect(o.findings().warnings.size() == 8, "eight warnings at most");
}

} // namespace

int main() {
  return vigil::test::run_cases("test-monitor-stream-findings", {{"whole", whole},
                                                                 {"without_times", without_times},
                                                                 {"few_key_frames", few_key_frames},
                                                                 {"nothing", nothing},
                                                                 {"failed", failed},
                                                                 {"stopped", stopped}});
}
