// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-monitor's configuration: what it means, and what is said about mistakes.
#include "common/error.h"
#include "kernels/rules/polygon_mask.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/config/config.h"
#include "tools/vigil-monitor/config/overrides.h"
#include "tools/vigil-monitor/config/secrets.h"
#include "tools/vigil-monitor/config/text.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sys/stat.h>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using test::expect;

namespace {

// The error that f ends in, or "no error".
std::string error_of(const std::function<void()> &f) {
  try {
    f();
  } catch (const Error &e) {
    return e.what();
  }
  return "no error";
}

void expect_error(const std::string &yaml, const std::string &begin) {
  const std::string found = error_of([&] { parse_config(yaml, "m.yaml"); });
  expect(found.starts_with(begin), "for:\n" + yaml + "expected: " + begin + "\nfound:    " + found);
}

void whole_example() {
  setenv("DOOR_PW", "s3cret", 1);
  const Config c = parse_config(R"(
http: {listen: "[::1]:9000", token_file: /etc/vigil/token, hosts: [cam.example]}
mqtt: {host: 127.0.0.1, topic_prefix: house, discovery: false, node: attic}
storage: {path: /var/lib/vigil, max_size: 200GB, min_free: 5GiB}
record: {pre_capture: 3, post_capture: 10, retain: {days: 7}}
presets:
  street:
    cudamog: {light-jump: 0.6, median: 5}
    gpufisher: {model-location: crowd.model, every: 5}
cameras:
  door:
    source: rtsp://user:${DOOR_PW}@10.0.0.5/stream
    preset: street
    cudamog: {median: 9}
    live: {height: 480, fps: 10}
    detect: {height: 180, fps: 7.5}
    max_pixels: 100000000
    record: {retain: {days: 30}}
    zones: {steps: {coordinates: "0.1,0.5,0.4,0.5,0.4,1,0.1,1", loiter_seconds: 30}}
    lines: {gate: {coordinates: "0.2,0.8,0.7,0.75", direction: in}}
    masks: {tree: {coordinates: "0,0,0.3,0,0,0.4"}}
  test: {source: scenetestsrc}
)",
                                "m.yaml");
  expect(c.http.address == "::1" && c.http.port == 9000 && c.http.hosts.size() == 1, "listen");
  expect(!c.http.framed &&
             parse_config("http: {framed: true}\ncameras: {a: {source: x}}\n", "m.yaml").http.framed,
         "framed");
  expect(c.storage.max_size == 200'000'000'000 && c.storage.min_free == 5ull << 30, "sizes");
  expect(c.mqtt.topic_prefix == "house" && !c.mqtt.discovery && c.mqtt.node == "attic", "mqtt");
  const CameraConfig &door = c.cameras.at("door");
  expect(door.source == "rtsp://user:s3cret@10.0.0.5/stream", "a variable of the environment");
  expect(door.elements.at("cudamog").at("median").value == "9", "the camera's own wins over the preset's");
  expect(door.elements.at("cudamog").at("light-jump").value == "0.6", "the preset's");
  expect(door.elements.at("gpufisher").at("every").place == "m.yaml:9", "where it was written");
  expect(door.record.pre_capture == 3 && door.record.retain_days == 30, "record is taken over and refined");
  expect(door.max_pixels == 100'000'000 && c.cameras.at("test").max_pixels == 8192 * 4320, "max_pixels");
  expect(door.detect_height == 180 && c.cameras.at("test").detect_height == detect_half, "detect");
  expect(door.detect_fps == 7.5 && c.cameras.at("test").detect_fps == default_detect_fps, "detect: fps");
  expect(door.zones.at("steps").points.size() == 4 && door.zones.at("steps").loiter_seconds == 30, "zone");
  expect(door.lines.at("gate").direction == "in" && door.masks.count("tree"), "line and mask");
  expect(c.order == std::vector<std::string>{"door", "test"}, "the order is kept");
  expect(c.cameras.at("test").record.retain_days == 7, "record for all");
}

std::string cameras_of(int count) {
  std::string yaml = "mqtt: {host: broker, node: attic}\ncameras:\n";
  for (int i = 0; i < count; i++) yaml += "  camera" + std::to_string(i) + ": {source: x}\n";
  return yaml;
}

void shards() {
  constexpr int cameras = 1000;
  for (const int count : {1, 2, 3, 7}) {
    int all = 0;
    for (int i = 0; i < count; i++) {
      Config c = parse_config(cameras_of(cameras), "m.yaml");
      keep_shard(c, {i, count});
      all += static_cast<int>(c.order.size());
      expect(c.order.size() == c.cameras.size(), "order and cameras are the same");
      expect(c.mqtt.node == (count == 1 ? "attic" : "attic-" + std::to_string(i)), "a name of its own");
      // 5 standard deviations of a fair share
      const double fair = double(cameras) / count, wide = 5 * std::sqrt(fair * (1 - 1.0 / count));
      expect(std::abs(double(c.order.size()) - fair) <= wide, "shares are even");
    }
    expect(all == cameras, "each camera is in one share");
    int moved = 0;
    for (int i = 0; i < cameras; i++) {
      const std::string name = "camera" + std::to_string(i);
      const int before = shard_of(name, count), after = shard_of(name, count + 1);
      expect(after == before || after == count, "a camera moves to the new process alone");
      moved += after != before;
    }
    expect(moved > 0 && moved < 1.4 * cameras / (count + 1), "and few do");
  }
  int moved = 0; // twelve cameras, from 3 processes to 4
  for (int i = 0; i < 12; i++) {
    const std::string name = "cam" + std::to_string(i);
    moved += shard_of(name, 3) != shard_of(name, 4);
  }
  expect(moved <= 12 * 0.4, "at most 40 % of twelve cameras move");
  expect(shard_of("door", 3) == 2 && shard_of("gate", 3) == 1 && shard_of("", 1) == 0,
         "the same in every version: a camera's model lies where it was");
  expect(parse_shard("2/3", "x") == Shard{2, 3} &&
             parse_shard("host/12", "vigil-monitor-11") == Shard{11, 12},
         "as it is written");
  const auto refused = [](const char *words, const char *host, const char *begin) {
    const std::string found = error_of([&] { parse_shard(words, host); });
    expect(found.starts_with(begin), std::string("--shard ") + words + ": " + found);
  };
  refused("3/3", "", "--shard 3/3: there is no share 3 of 3; the first is 0 and the last 2");
  refused("host/3", "vigil-3", "--shard 3/3: there is no share 3 of 3");
  refused("host/3", "vigil", "--shard host/3: the host's name 'vigil' does not end");
  for (const char *words : {"", "1", "1/", "/2", "a/2", "-1/2", "0/0", "1/2/3", "1 /2", "0/1000000"})
    refused(words, "", "--shard ");
}

// What is recorded all day, and for how long.
void recordings() {
  const Config c = parse_config("record: {continuous: {days: 3}, motion: {days: 14}, events: {days: 30}}\n"
                                "cameras:\n"
                                "  a: {source: x}\n"
                                "  b: {source: x, record: {continuous: {enabled: false}, audio: false}}\n"
                                "  c: {source: x, record: {continuous: {days: 0}}}\n"
                                "  d: {source: x, record: {enabled: false}}\n",
                                "m.yaml");
  const CameraConfig &a = c.cameras.at("a"), &b = c.cameras.at("b"), &all = c.cameras.at("c");
  expect(a.records_all() && a.records_sound() && a.record.continuous_days == 3 &&
             a.record.motion_days == 14 && a.record.retain_days == 30 && a.record.retain_given,
         "days of the recording, of what overlaps events, and of events");
  expect(!b.records_all() && !b.record.audio && b.record.retain_days == 30, "a camera takes it back");
  expect(all.records_all() && all.record.continuous_days == 0, "0: no limit");
  expect(!c.cameras.at("d").records_all(), "a camera that records nothing");
}

void two_streams() {
  const Config c = parse_config("cameras:\n"
                                "  a: {source: {record: rtsp://u:main-hidden@h/main, detect: rtsp://h/sub}}\n"
                                "  b: {source: {record: x, detect: x}}\n"
                                "  c: {source: {record: x, detect: y}, record: {enabled: false}}\n"
                                "  d: {source: x}\n",
                                "m.yaml");
  CameraConfig a = c.cameras.at("a");
  expect(a.source == "rtsp://h/sub" && a.record_source == "rtsp://u:main-hidden@h/main", "two streams");
  expect(a.records_apart() && a.sources().size() == 2, "one of them is recorded");
  expect(!c.cameras.at("b").records_apart() && c.cameras.at("b").sources().size() == 1, "the same one twice");
  expect(!c.cameras.at("c").records_apart() && c.cameras.at("c").sources().size() == 2,
         "nothing is recorded");
  expect(!c.cameras.at("d").records_apart(), "one stream");
  expect(mask_credentials("cannot open main-hidden") == "cannot open ***",
         "the password of the recorded one");
  a.record_source = "rtsp://h/other";
  expect(!(a == c.cameras.at("a")), "another stream is a change");
}

void onvif() {
  const Config c =
      parse_config("cameras:\n"
                   "  a: {source: x, onvif: {address: 'http://u:dome-hidden@h/d', events: true}}\n"
                   "  b: {source: x, onvif: {address: h}}\n",
                   "m.yaml");
  CameraConfig a = c.cameras.at("a");
  expect(a.onvif == "http://u:dome-hidden@h/d" && a.onvif_events && !c.cameras.at("b").onvif_events,
         "the device, whose own events are off unless they are asked for");
  expect(mask_credentials("cannot ask dome-hidden") == "cannot ask ***", "its password");
  a.onvif_events = false;
  expect(!(a == c.cameras.at("a")), "another setting is a change");
  expect_error("cameras:\n  a:\n    source: x\n    onvif: {events: true}\n",
               "m.yaml:4: cameras.a.onvif: address is missing: the camera's ONVIF service, "
               "http://USER:PASSWORD@HOST/onvif/device_service");
}

void mistakes() {
  expect_error("cameras:\n  door: {sorce: x}\n",
               "m.yaml:2: cameras.door.sorce: there is no such key; allowed here: source,");
  expect_error("cameras:\n  door:\n    source: x\n    max_pixels: 0\n",
               "m.yaml:4: cameras.door.max_pixels: '0' is no number from 1 to 1073741824");
  expect_error("cameras:\n  door:\n    source: x\n    detect: {height: 89}\n",
               "m.yaml:4: cameras.door.detect.height: '89' is no number from 90 to 2160, nor half or full");
  for (const char *fps : {"0", "-5", "0.4", "241", "some"})
    expect_error(std::string("cameras:\n  door:\n    source: x\n    detect: {fps: ") + fps + "}\n",
                 std::string("m.yaml:4: cameras.door.detect.fps: '") + fps +
                     "' is no number from 0.5 to 240; all looks at every picture");
  expect(parse_config("cameras: {door: {source: x, detect: {fps: all}}}\n", "m.yaml")
                 .cameras.at("door")
                 .detect_fps == detect_all,
         "detect: fps: all");
  expect_error("cameras:\n  door:\n    source: x\n    live: {fps: fast}\n",
               "m.yaml:4: cameras.door.live.fps: 'fast' is no number from 0.1 to 60");
  expect_error("cameras: {a: {source: x}, a: {source: y}}\n", "m.yaml:1: cameras: 'a' stands here twice");
  expect_error("cameras: {'a/b': {source: x}}\n", "m.yaml:1: cameras: 'a/b' is no name");
  expect_error("cameras:\n  a: {}\n", "m.yaml:2: cameras.a: source is missing");
  expect_error("cameras:\n  a:\n    source: {record: x}\n",
               "m.yaml:3: cameras.a.source: record and detect are needed both");
  expect_error("cameras:\n  a:\n    source: {record: x, detect: ''}\n",
               "m.yaml:3: cameras.a.source: record and detect are needed both");
  expect_error("cameras:\n  a:\n    source: {main: x, sub: y}\n",
               "m.yaml:3: cameras.a.source.main: there is no such key; allowed here: record, detect");
  expect_error("cameras:\n  a:\n    source: [x, y]\n", "m.yaml:3: cameras.a.source");
  expect_error("http: {}\n", "m.yaml: no cameras");
  expect_error("cameras: [a\n", "m.yaml:2: this is no YAML");
  expect_error("cameras:\n  a:\n    source: x\n    preset: rain\n",
               "m.yaml:4: cameras.a.preset: there is no preset 'rain'");
  expect_error("cameras:\n  a:\n    source: x\n    zones:\n      z: {coordinates: '0,0,1,1,1,0,0,1'}\n",
               "m.yaml:5: cameras.a.zones.z.coordinates: the edges after corners 1 and 3 cross");
  expect_error("cameras:\n  a:\n    source: x\n    zones:\n      z: {coordinates: '0,0,1.5,1,1,0'}\n",
               "m.yaml:5: cameras.a.zones.z.coordinates: coordinate 1.5 lies outside of the picture");
  expect_error("cameras: {a: {source: x, zones: {z: {}}}}\n",
               "m.yaml:1: cameras.a.zones.z: coordinates are missing");
  expect_error("storage: {max_size: 5 elephants}\n", "m.yaml:1: storage.max_size: '5 elephants' is no size");
  expect_error("record: {continuous: {}}\ncameras: {a: {source: x}}\n",
               "m.yaml:1: record.continuous: days is missing");
  expect_error("record: {motion: {}}\ncameras: {a: {source: x}}\n",
               "m.yaml:1: record.motion: days is missing");
  expect_error("record: {retain: {days: 3}, events: {days: 4}}\ncameras: {a: {source: x}}\n",
               "m.yaml:1: record: retain: {days} and events: {days} both say");
  expect_error("http: {listen: here}\n", "m.yaml:1: http.listen: 'here' is no ADDRESS:PORT");
  expect_error("http: {listen: '1.2.3.4:99999'}\n", "m.yaml:1: http.listen: '99999' is no port");
  expect_error("http: {certificate: a}\n", "m.yaml:1: http: certificate and key belong together");
  expect_error("cameras: {a: {source: '${NOT_SET_ANYWHERE}'}}\n",
               "m.yaml:1: cameras.a.source: the environment has no variable NOT_SET_ANYWHERE");
  expect_error("mqtt: {host: h, port: 8883, password: secret word}\n",
               "m.yaml:1: mqtt: port 8883 is for TLS");
  expect_error("mqtt: {host: h, tls: false, ca_file: /x}\n", "m.yaml:1: mqtt: ca_file is for TLS");
  const auto mqtt_of = [](const std::string &members) {
    return parse_config("mqtt: {" + members + "}\ncameras: {a: {source: x}}\n", "m.yaml");
  };
  expect(mqtt_of("host: h").mqtt.port == 1883 && !mqtt_of("host: h").mqtt.tls,
         "no TLS unless it is asked for");
  expect(mqtt_of("host: h, tls: true").mqtt.port == 8883, "the port of TLS");
  expect(mqtt_of("host: h, ca_file: /x").mqtt.port == 1883 && mqtt_of("host: h, ca_file: /x").mqtt.tls,
         "ca_file alone is TLS at the port as before");
  expect(mqtt_of("host: h, tls: true, port: 1884").mqtt.port == 1884, "another port");
  expect(!mqtt_of("host: h").mqtt.takes_commands() && mqtt_of("host: h, user: u").mqtt.takes_commands() &&
             mqtt_of("host: h, commands: true").mqtt.takes_commands() &&
             !mqtt_of("host: h, user: u, commands: false").mqtt.takes_commands(),
         "who gives orders");
  expect(mqtt_of("host: far, password: secret word").warnings.size() == 1,
         "a password for everybody to read");
  for (const char *good :
       {"host: localhost, password: secret word", "host: far, tls: true, password: secret word", "host: far"})
    expect(mqtt_of(good).warnings.empty(), good);
  expect_error("presets: {p: {videoflip: {method: 1}}}\n",
               "m.yaml:1: presets.p.videoflip: a preset sets properties of elements of the chain");
  expect_error("- a\n", "m.yaml:1: expected a mapping");
  expect(error_of([] {
           read_config("/nonexistent/x.yaml");
         }).starts_with("cannot open the configuration '/nonexistent/x.yaml': No such file"),
         "a file that is not there");
}

// A pixel is black where its centre is inside of a polygon, whatever the polygon's shape: corners on the
// border, on pixels' centres and edges, and edges that cross.
void masks_as_defined() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> anywhere(0, 1);
  std::uniform_int_distribution<int> corners(3, 12), size(1, 70), polygons(0, 4), step(0, 8);
  for (int n = 0; n < 600; n++) {
    const int width = size(random), height = size(random);
    std::vector<std::vector<Point>> all(static_cast<std::size_t>(polygons(random)));
    for (auto &polygon : all)
      for (int i = corners(random); i > 0; i--)
        polygon.push_back(n % 2 ? Point{anywhere(random), anywhere(random)}
                                : Point{step(random) / 8.0, (step(random) + n % 4 / 4.0) / 9.0});
    const auto drawn = vigil::rules::polygon_mask(all, width, height);
    std::size_t wrong = 0;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const bool in = std::any_of(all.begin(), all.end(), [&](const auto &p) {
          return vigil::rules::contains(p, {(x + 0.5) / width, (y + 0.5) / height});
        });
        wrong += drawn[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                       static_cast<std::size_t>(x)] != (in ? 0 : 255);
      }
    expect(wrong == 0, vigil::text("mask ", n, ": ", wrong, " pixels"));
  }
}

// Test suite timing.
void time_of_masks() {
  // 64 shapes of 64 corners all over a picture of 4K, round ones and stars.
  for (const double inner : {0.45, 0.1}) {
    std::vector<std::vector<Point>> shapes(64);
    for (std::size_t i = 0; i < shapes.size(); i++)
      for (int k = 0; k < 64; k++) {
        const double radius = (k % 2 ? inner : 0.45) + static_cast<double>(i) * 5e-4,
                     angle = k * 2 * M_PI / 64;
        shapes[i].push_back({0.5 + radius * std::cos(angle), 0.5 + radius * std::sin(angle)});
      }
    const auto begun = std::chrono::steady_clock::now();
    const auto drawn = vigil::rules::polygon_mask(shapes, 3840, 2160);
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
    std::printf("64 masks of 64 corners in 4K: %.1f ms\n", ms);
    // Point by point it takes some 50 seconds.
    expect(ms < 2500 && drawn[0] == 255 && drawn[drawn.size() / 2 + 1920] == 0, "within a moment");
  }
}

void shapes() {
  expect(error_of([] { parse_points("0,0,1"); }).starts_with("3 coordinates are no whole points"),
         "odd count");
  expect(error_of([] { parse_points("0,zero"); }).starts_with("coordinates have 'zero'"), "no number");
  expect(error_of([] { parse_points("nan,0"); }).find("no error") == std::string::npos,
         "not a number is none");
  expect(error_of([] {
           check_polygon(parse_points("0,0,1,1"));
         }).starts_with("a polygon has at least 3 corners"),
         "two corners");
  expect(error_of([] { check_polygon(parse_points("0,0,0.5,0.5,1,1")); }) != "no error", "no area");
  expect(error_of([] { check_line(parse_points("0.5,0.5,0.5,0.5")); }) ==
             "both points of the line are the same",
         "no line");
  const auto square = parse_points("0.25, 0.25, 0.75, 0.25, 0.75, 0.75, 0.25, 0.75");
  check_polygon(square);
  expect(vigil::rules::contains(square, {0.5, 0.5}) && !vigil::rules::contains(square, {0.1, 0.5}) &&
             !vigil::rules::contains(square, {0.5, 0.9}),
         "inside");
  // Feet on the picture's lower border are in a zone that reaches it; its other sides stay.
  const auto low = parse_points("0.2,0.5,0.8,0.5,0.9,1,0.1,1");
  const auto open = past_lower_border(low);
  expect(!vigil::rules::contains(low, {0.5, 1}) && vigil::rules::contains(open, {0.5, 1}) &&
             vigil::rules::distance_to_border(open, {0.5, 1}) > 0.15 && !vigil::rules::crossing_sides(open),
         "past the lower border");
  for (const Point p : {Point{0.12, 0.8}, Point{0.16, 0.8}, Point{0.5, 0.4}, Point{0.05, 1}})
    expect(vigil::rules::contains(low, p) == vigil::rules::contains(open, p), "the other sides");
  expect(past_lower_border(square) == square, "a zone that does not reach the lower border");
  const auto mask = vigil::rules::polygon_mask({square}, 4, 4);
  int black = 0;
  for (const auto v : mask) black += v == 0;
  expect(black == 4 && mask[5] == 0 && mask[0] == 255, "a mask of the middle four of sixteen pixels");
  masks_as_defined();
  expect(points_text(square) == "0.25,0.25,0.75,0.25,0.75,0.75,0.25,0.75", "text of points");
}

void secrets() {
  const auto shown = [](const char *source, const char *expected) {
    const std::string is = shown_source(source);
    expect(is == expected, std::string(source) + " is shown as " + is);
  };
  shown("rtsp://admin:SEC,RET2@127.0.0.1:9/x", "rtsp://127.0.0.1:9/...");
  shown("rtsp://admin:SEC)RET3@[::1]:9/x", "rtsp://[::1]:9/...");
  shown("rtsp://SECRET9token@cam.example/x", "rtsp://cam.example/...");
  shown("rtsp://cam.example", "rtsp://cam.example");
  shown("rtsp://admin:SEC@RET@cam/x", "rtsp://cam/...");
  shown("rtsp://admin:12/SECRET@cam/x", "rtsp://***/...");
  shown("rtsp://admin:12?SECRET@cam/x", "rtsp://***/...");
  shown("rtsp://admin:12#SECRET@cam/x", "rtsp://***/...");
  shown("rtsp://SECRET%zz^/x", "rtsp://***/...");
  shown("srt://127.0.0.1:9?mode=caller&passphrase=SECRET5", "srt://127.0.0.1:9/...");
  shown("rtspsrc location=rtsp://h/x user-id=a user-pw=\"SEC ! RET\" ! rtph264depay ! identity name=SECRET",
        "rtspsrc ! rtph264depay ! identity");
  shown("souphttpsrc location=http://h/x extra-headers=\\\"h,Authorization=(string)SECRET13\\\" ! jpegdec",
        "souphttpsrc ! jpegdec");
  shown("scenetestsrc scene=street ! video/x-raw,width=160", "scenetestsrc");
  shown("/video/a!b.mp4", "/video/a!b.mp4");
  shown("/dev/video0", "/dev/video0");
  shown("street.mp4", "street.mp4");
  expect(shown_server("https://user:SECRET@hooks.example:8443/services/T0/SECRET") ==
             "https://hooks.example:8443",
         "a webhook");
  // What a library repeats of them, in any words.
  setenv("VIGIL_TEST_SECRET", "out of the environment", 1);
  parse_config("mqtt: {host: a, password: mqtt-hidden}\nwebhook: {url: "
               "'https://h.example/api/webhook/hook-hidden-9'}\n"
               "cameras:\n  a: {source: 'rtsp://admin:s,cr)t%40x@h/x'}\n  b: {source: "
               "'srt://h?passphrase=phrase-hidden'}\n"
               "  c: {source: 'x://h/${VIGIL_TEST_SECRET}'}\n  d: {source: 'rtsp://user-hidden@h/'}\n"
               "  e: {source: 'a extra-headers=\"h,Authorization=(string)header-hidden\" ! b'}\n"
               "  f: {source: 'rtsp://admin:door@h/'}\n  g: {source: 'rtsp://admin:no@h/'}\n",
               "c.yaml");
  for (const char *secret : {"mqtt-hidden", "hook-hidden-9", "s,cr)t%40x", "s,cr)t@x", "s%2Ccr%29t%40x",
                             "phrase-hidden", "out of the environment", "user-hidden", "header-hidden"})
    expect(mask_credentials(std::string("cannot open <") + secret + ">") == "cannot open <***>",
           std::string("known since it was read: ") + secret);
  expect(without_secrets("the door; outdoors") == "the ***; outdoors", "a short one as a whole word");
  expect(without_secrets("no answer") == "no answer", "two letters hide nothing");
  const std::string file = "secrets-test.yaml";
  std::ofstream(file) << "cameras: {a: {source: 'rtsp://admin:in-the-file@h/'}}\n";
  chmod(file.c_str(), 0644);
  expect(read_config(file).warnings.size() == 1, "a file with a password that everybody may read");
  chmod(file.c_str(), 0640);
  expect(read_config(file).warnings.empty(), "one that nobody else may read");
  std::ofstream(file) << "cameras: {a: {source: 'rtsp://h/'}}\n";
  chmod(file.c_str(), 0644);
  expect(read_config(file).warnings.empty(), "one without a password");
  std::filesystem::remove(file);
  expect(parse_config("http: {local: view}\ncameras: {a: {source: x}}\n", "c.yaml").http.local == "view",
         "local");
  expect(error_of([] {
           parse_config("http: {local: all}\ncameras: {a: {source: x}}\n", "c.yaml");
         }).find("none, view, admin") != std::string::npos,
         "a role that is none");
}

void words() {
  expect(parse_size("1.5kB") == 1500 && parse_size("2 MiB") == 2 << 20 && parse_size("7") == 7, "sizes");
  expect(error_of([] { parse_size("-1GB"); }) != "no error", "negative size");
  expect(size_text(1'234'567) == "1.23 MB" && size_text(999) == "999 B", "sizes as text");
  expect(mask_credentials("rtsp://user:pa@ss@host/x?a=1") == "rtsp://user:***@host/x?a=1", "password with @");
  expect(mask_credentials("rtsp://user:pa/ss@host/x") == "rtsp://user:***@host/x", "password with /");
  expect(mask_credentials("rtspsrc location=rtsp://u:p@h user-pw=secret ! x") ==
             "rtspsrc location=rtsp://u:***@h user-pw=*** ! x",
         "in a description");
  expect(mask_credentials("http://h/x?token=abc&y=1") == "http://h/x?token=***&y=1", "in a query");
  expect(mask_credentials("nothing here: a@b") == "nothing here: a@b", "no address");
  expect(
      mask_credentials("x rtsp://a-token@h/x user-pw = \"a b\" proxy-pw=c http://h/?PWD=d&api_key=e&y=1") ==
          "x rtsp://***@h/x user-pw = \"***\" proxy-pw=*** http://h/?PWD=***&api_key=***&y=1",
      "other ways to give one");
  expect(is_name("door-1_B") && !is_name("") && !is_name("a b") && !is_name("..") &&
             !is_name(std::string(33, 'a')),
         "names");
  const std::string longest(64, 'x');
  for (const std::string &good : {std::string("Front door"), std::string("Haustür, 2. Stock"),
                                  std::string("門"), std::string("<b>&\"'/#+"), longest})
    expect(is_title(good), "a title: " + good);
  std::string kanji;
  for (int i = 0; i < 64; i++) kanji += "門";
  expect(is_title(kanji) && !is_title(kanji + "x"), "64 characters, not bytes");
  for (const std::string &bad : {std::string(), longest + "x", std::string(" x"), std::string("x "),
                                 std::string(" "), std::string("a\nb"), std::string("a\tb"),
                                 std::string("a\x1b[1mb"), std::string("a\xc2\x85"), std::string("\xff"),
                                 std::string("a\xe2\x80\xae"
                                             "b"),
                                 std::string("\xe2\x81\xa6x"), std::string("\xe2\x80\x8b"),
                                 std::string("\xe3\x85\xa4"), std::string("x\0y", 3)})
    expect(!is_title(bad), "no title: " + bad);
}

void overrides() {
  Overrides o(
      R"({"cameras": {"door": {"zones": {"z": {"coordinates": "0,0,1,0,1,1"}, "old": null}, "elements": {"cudamog": {"median": "5"}}, "motion": false}}})");
  CameraConfig c;
  c.name = "door";
  c.zones["old"] = {parse_points("0,0,1,0,0,1"), 0};
  const CameraConfig with = o.applied(c);
  expect(with.zones.count("z") && !with.zones.count("old"), "a zone more, a zone less");
  expect(with.elements.at("cudamog").at("median").value == "5" && !with.motion, "property and switch");
  expect(o.names("door") ==
             std::vector<std::string>{"zones.old", "zones.z", "elements.cudamog.median", "motion"},
         "what was changed");
  expect(Overrides(o.all().dump()).applied(c) == with, "there and back again");
  o.set_property("door", "gpufisher", "every", "3");
  c.elements["gpufisher"]["model-location"] = {"crowd.model", "m.yaml:9"};
  expect(o.applied(c).elements.at("gpufisher").at("every").value == "3", "of an element that the chain has");
  c.elements.erase("gpufisher");
  expect(!o.applied(c).elements.count("gpufisher"),
         "an element that left the configuration stays out of the chain");
  o.set_title("door", "Haustür 門");
  expect(o.applied(c).title == "Haustür 門" && o.applied(c).shown_name() == "Haustür 門" &&
             c.shown_name() == "door" && o.names("door").back() == "motion" &&
             Overrides(o.all().dump()).applied(c).title == "Haustür 門",
         "a title");
  c.title = "Of the file";
  o.set_title("door", "");
  expect(o.applied(c).shown_name() == "door", "the page takes away the title of the configuration");
  c.title.clear();
  o.forget_property("door", "gpufisher", "every");
  o.forget_property("door", "cudamog", "median");
  expect(o.applied(c).elements.empty(), "taken back");
  o.set_privacy("door", "silhouettes", true);
  o.set_privacy("door", "fill", "pixelate");
  const CameraConfig covered = Overrides(o.all().dump()).applied(c);
  expect(covered.privacy.silhouettes && covered.privacy.fill == PrivacyConfig::Fill::pixelate &&
             covered.privacy.asked() && covered.analysed_fps() == detect_all && !covered.shows("mask") &&
             covered.shows("overlay") && c.shows("mask") && !(covered == c),
         "silhouettes and the fill");
  o.forget("door");
  expect(o.applied(c) == c, "all taken back");
  for (const char *bad :
       {"", "[]", "{}", R"({"cameras": 5})", R"({"cameras": {"a/b": {}}})",
        R"({"cameras": {"a": {"zones": {"z": {}}}}})", R"({"cameras": {"a": {"motion": 1}}})",
        R"({"cameras": {"a": {"title": 1}}})", R"({"cameras": {"a": {"title": " x"}}})",
        R"({"cameras": {"a": {"title": "x\u202ey"}}})", R"({"cameras": {"a": {"privacy_fill": "red"}}})",
        R"({"cameras": {"a": {"privacy_fill": 1}}})", R"({"cameras": {"a": {"privacy_silhouettes": "yes"}}})",
        R"({"cameras": {"a": {"elements": {"cudamog": {"median": 5}}}}})"})
    expect(error_of([&] { Overrides{bad}; }).starts_with("overrides.json: "), std::string("refused: ") + bad);
}

void added() {
  Overrides o;
  o.add_camera("front-door", "rtsp://eye:Pa%3Ass9@h/a?token=abcdef#x", "rtsp://eye:Pa%3Ass9@h/b");
  o.add_camera("yard", "rtsp://h/c", "", "http://eye:Pa%3Ass9@h/onvif/device_service");
  o.set_switch("yard", "device_events", true);
  o.set_shape("yard", "zones", "z", {{"coordinates", "0,0,1,0,1,1"}, {"labels", {"person"}}});
  o.set_shape("yard", "zones", "old", nullptr);
  o.set_shape("yard", "unmasked", "flag", {{"coordinates", "0,0,0.1,0,0.1,0.2"}});
  o.set_property("yard", "cudamog", "median", "9");
  o.set_switch("yard", "recordings", false);
  o.set_switch("yard", "enabled", false);
  o.set_privacy("yard", "silhouettes", true);
  o.set_privacy("yard", "fill", "pixelate");
  o.set_title("yard", "Hof: \"hinten\" #2");
  const Overrides again(o.all().dump());
  expect(again.all() == o.all(), "there and back again");
  RecordConfig record;
  record.pre_capture = 7;
  const auto cameras = again.added(record);
  expect(cameras.size() == 2 && cameras[0].record_source.ends_with("/b") && cameras[0].added &&
             cameras[1].record_source.empty() && cameras[1].record.pre_capture == 7,
         "cameras of the page");
  const std::string yaml = again.added_yaml();
  expect(yaml.find("Pa") == yaml.npos && yaml.find("abcdef") == yaml.npos, "no password: " + yaml);
  for (const char *name : {"FRONT_DOOR_PASSWORD", "YARD_PASSWORD"}) setenv(name, "Pa%3Ass9", 1);
  const Config c = parse_config("record: {pre_capture: 7}\n" + yaml, "exported.yaml");
  CameraConfig yard = again.applied(cameras[1]);
  yard.added = false;
  expect(c.cameras.at("yard") == yard, "as YAML it is the same camera: " + yaml);
  expect(yard.unmasked.count("flag") == 1 && yard.masks.empty(), "with the part that is not masked");
  expect(yard.onvif == "http://eye:Pa%3Ass9@h/onvif/device_service" && yard.onvif_events,
         "with its ONVIF device");
  expect(c.cameras.at("front-door").record_source == cameras[0].record_source, "with its password");
  Overrides less = again;
  less.remove_camera("front-door");
  less.remove_camera("yard");
  expect(less.all() == Overrides().all(), "nothing stays of cameras that are taken away");
  for (const char *bad :
       {R"({"cameras": {}, "added": 5})", R"({"cameras": {}, "added": {"a/b": {"source": "x"}}})",
        R"({"cameras": {}, "added": {"a": {}}})", R"({"cameras": {}, "added": {"a": {"source": 1}}})",
        R"({"cameras": {}, "added": {"a": {"source": "x", "record_source": 1}}})",
        R"({"cameras": {}, "added": {"a": {"source": "x", "onvif": {}}}})"})
    expect(error_of([&] { Overrides{bad}; }).starts_with("overrides.json: "), std::string("refused: ") + bad);
  expect(parse_config("cameras: {a: {source: x, title: 'Front door'}}", "m.yaml").cameras.at("a").title ==
             "Front door",
         "the configuration's title");
  expect(error_of([] {
           parse_config("cameras: {a: {source: x, title: ' '}}", "m.yaml");
         }).find("is no title") != std::string::npos,
         "no title");
  expect(parse_config("cameras: {}\n", "m.yaml").cameras.empty(), "a configuration may have no cameras");
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::string_view(argv[1]) == "timing") {
    return test::run_cases("monitor mask time", {{"time of masks", time_of_masks}});
  }
  const std::vector<vigil::test::Case> cases = {
      {"whole example", whole_example},
      {"shards", shards},
      {"recordings", recordings},
      {"two streams", two_streams},
      {"onvif", onvif},
      {"mistakes", mistakes},
      {"shapes", shapes},
      {"words", words},
      {"overrides", overrides},
      {"cameras of the page", added},
      {"secrets", secrets}, // last: what it makes known is hidden from then on
  };
  return vigil::test::run_cases("monitor configuration", cases);
}
