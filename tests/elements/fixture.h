// SPDX-License-Identifier: LGPL-2.1-or-later
// What tests of elements share: small scenes, a harness around the element, its messages.
#pragma once

#include "common/plane.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#undef fail // libcheck's; iostreams and common/error.h have functions of this name
#include <gst/video/video.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::test {

// Why there is no such CUDA device, for words; empty when there is one.
std::string why_no_cuda(int device = 0);
// For programs of tests that need the device: says why they are skipped where there is none. Where there is,
// tests run in this process from now on, since the driver does not survive a fork.
bool skipped_without_cuda(const char *what, int device = 0);
// The same for OpenGL on a GPU: on a processor these tests take hours. VIGIL_TEST_SLOW_GL=1 runs them there,
// too.
bool skipped_without_gl(const char *what);
// The backend on which tests that are run on several are to run: VIGIL_TEST_BACKEND (cpu, cuda or gl), else
// cpu.
std::string tested_backend();

// A picture in host memory, laid out as GStreamer does.
struct Picture {
  GstVideoInfo info;
  std::vector<std::uint8_t> bytes;
  Picture(const char *format, int width, int height);
  Image image();
  GstBuffer *buffer(int number, int fps = 25) const; // with the frame's time
  // The same with rows `padding` bytes longer than they need be, and a GstVideoMeta that says so.
  GstBuffer *padded(int number, int padding) const;
};

struct Rect {
  int x, y, width, height;
};
// Frame `number` of a scene: a textured ground with a little noise, the same for the same number, and bright
// rectangles on it. `light` is added to all of it.
Picture scene(const char *format, int width, int height, int number, const std::vector<Rect> &objects = {},
              int light = 0);

std::string caps_of(const char *format, int width, int height, const char *features = "", int fps = 25);

// All planes one after another, without padding of rows and without rows between planes.
std::vector<std::uint8_t> bytes_of(const Image &);
// One frame that came out of a harness, likewise.
std::vector<std::uint8_t> bytes_of(GstHarness *, GstBuffer *);

// An element in a GstHarness, with its messages.
class Harness {
 public:
  // `description` as for gst-launch-1.0, of one element. `context` is set before it starts.
  explicit Harness(const std::string &description, GstContext *context = nullptr);
  ~Harness();
  Harness(const Harness &) = delete;
  Harness &operator=(const Harness &) = delete;

  GstHarness *harness() { return harness_; }
  GstElement *get() { return element_; }
  void caps(const std::string &caps) { gst_harness_set_src_caps_str(harness_, caps.c_str()); }
  GstFlowReturn push(GstBuffer *b) { return gst_harness_push(harness_, b); }
  GstFlowReturn push(const Picture &p, int number, int fps = 25) { return push(p.buffer(number, fps)); }
  GstBuffer *pull() { return gst_harness_try_pull(harness_); } // null when nothing came out
  std::vector<std::uint8_t> pull_bytes();                      // of one frame, without padding of rows
  std::vector<std::uint8_t> bytes_of(GstBuffer *b) {
    return test::bytes_of(harness_, b);
  } // the same of one that came out
  void set(const char *property, const char *value) {
    gst_util_set_object_arg(G_OBJECT(element_), property, value);
  }
  std::uint64_t stat(const char *field);

  // The next message of these types, or null; the caller unrefs it.
  GstMessage *message(GstMessageType types);
  // The next element messages' names, in order.
  std::vector<std::string> events();
  // The next element message is of this name, and its times are those of frame `number` at 25 frames a
  // second.
  void event_at(const char *name, int number);
  void no_error(); // fails the test when one was posted
  // Fails the test when upstream is asked for frames larger than their caps (GstVideoCropMeta) because those
  // behind take them. There must be caps.
  void takes_no_crops();
  // The text of the next error (or warning) and its code; fails the test when there is none.
  std::string error(GQuark domain, int code, GstMessageType type = GST_MESSAGE_ERROR);

 private:
  GstElement *element_;
  GstBus *bus_;
  GstHarness *harness_;
};

// The writable properties that are an element's own, or those of Vigil's class below it.
struct OwnProperties {
  explicit OwnProperties(GstElement *);
  ~OwnProperties() { g_free(specs); }
  OwnProperties(const OwnProperties &) = delete;
  OwnProperties &operator=(const OwnProperties &) = delete;
  GParamSpec **specs;
  std::vector<GParamSpec *> list;
};
// The ends of a property's range, and its default.
std::vector<std::string> values_of(GParamSpec *);

// Objects of GStreamer that are alive, by the leaks tracer's account (GST_TRACERS=leaks).
guint live_objects();
// Fails when more GstObjects and buffers than that are left; gives threads on their way out two seconds.
void expect_no_more_objects_than(guint before);
// Plays to the end of the stream and goes back to NULL.
void play_to_the_end(GstElement *pipeline);

// The text of the error RESOURCE/NOT_FOUND with which an element does not reach READY; fails the test when it
// does, or for another reason. The element stays the caller's.
std::string not_found(GstElement *);

// cudamog on the CPU, with these settings.
class Element : public Harness {
 public:
  explicit Element(const std::string &settings = "", GstContext *context = nullptr)
      : Harness("cudamog backend=cpu " + settings, context) {}
};

// A folder of its own for each test, removed with it.
class Folder {
 public:
  Folder();
  ~Folder();
  std::string operator/(const char *name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};
std::vector<std::uint8_t> read_bytes(const std::string &path);
void write_bytes(const std::string &path, const std::vector<std::uint8_t> &);
void write_png(const std::string &path, int width, int height, const std::vector<std::uint8_t> &grey);

// Runs the tests as GStreamer's own check programs do; the exit status.
int run(Suite *, int argc, char **argv);

} // namespace vigil::test
