// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests of shared memory have in common: elements in a row, from system memory to system memory, and
// the one that is looked at.
#pragma once

#include "gst/video/formats.h"
#include "tests/elements/fixture.h"

namespace vigil::test {

using Frames = std::vector<std::vector<std::uint8_t>>;

// For tests that name a driver of OpenGL's, such as Mesa in addition to a GPU's: says that they are skipped
// where it is not installed. GStreamer itself aborts such a test with a critical message.
inline bool skipped_without_egl_driver() {
  const char *driver = g_getenv("__EGL_VENDOR_LIBRARY_FILENAMES");
  if (!driver || g_file_test(driver, G_FILE_TEST_EXISTS)) return false;
  g_print("SKIP: no EGL driver %s (Debian: apt-get install libegl-mesa0)\n", driver);
  return true;
}

class Line {
 public:
  // As for gst-launch-1.0; the element that is looked at is called e.
  explicit Line(const std::string &description)
      : harness_(gst_harness_new_parse(description.c_str())), bus_(gst_bus_new()) {
    gst_element_set_bus(harness_->element, bus_);
    element_ = named("e");
    fail_unless(element_, "no element is called e in %s", description.c_str());
  }
  ~Line() {
    gst_harness_teardown(harness_);
    gst_bus_set_flushing(bus_, TRUE); // messages keep the elements, which keep the bus
    gst_object_unref(bus_);
  }
  Line(const Line &) = delete;
  Line &operator=(const Line &) = delete;

  GstElement *named(const char *name) {
    if (!GST_IS_BIN(harness_->element)) return harness_->element;
    GstElement *e = gst_bin_get_by_name(GST_BIN(harness_->element), name);
    if (e) gst_object_unref(e); // the bin has it
    return e;
  }
  GstElement *get() { return element_; }
  GstHarness *harness() { return harness_; }
  void caps(const std::string &caps) { gst_harness_set_src_caps_str(harness_, caps.c_str()); }
  GstFlowReturn push(const Picture &p, int number) { return gst_harness_push(harness_, p.buffer(number)); }
  void end() { gst_harness_push_event(harness_, gst_event_new_eos()); }
  GstBuffer *pull() {
    GstBuffer *b = gst_harness_try_pull(harness_);
    fail_unless(b, "no frame came out: %s", error().c_str());
    return b;
  }
  // One frame without padding of rows.
  std::vector<std::uint8_t> bytes() {
    GstBuffer *b = pull();
    const std::vector<std::uint8_t> bytes = bytes_of(harness_, b);
    gst_buffer_unref(b);
    return bytes;
  }
  // All of these frames, through to the end.
  Frames process(const std::vector<Picture> &pictures) {
    for (std::size_t n = 0; n < pictures.size(); n++) {
      const GstFlowReturn flow = push(pictures[n], int(n));
      fail_unless(flow == GST_FLOW_OK, "frame %zu: %s: %s", n, gst_flow_get_name(flow), error().c_str());
    }
    end();
    Frames out;
    for (std::size_t n = 0; n < pictures.size(); n++) out.push_back(bytes());
    return out;
  }
  std::uint64_t stat(const char *field) {
    GstStructure *stats = nullptr;
    g_object_get(element_, "stats", &stats, nullptr);
    guint64 value = 0;
    fail_unless(gst_structure_get_uint64(stats, field, &value), "stats has no %s", field);
    gst_structure_free(stats);
    return value;
  }
  // The next message of these types, or null; the caller unrefs it.
  GstMessage *message(GstMessageType types) { return gst_bus_pop_filtered(bus_, types); }
  // The text of the next error.
  std::string error() {
    GstMessage *m = message(GST_MESSAGE_ERROR);
    if (!m) return "no error was posted";
    GError *e = nullptr;
    gst_message_parse_error(m, &e, nullptr);
    const std::string words = std::string(GST_OBJECT_NAME(GST_MESSAGE_SRC(m))) + ": " + e->message;
    g_error_free(e);
    gst_message_unref(m);
    return words;
  }
  int count(GstMessageType types) {
    int n = 0;
    while (GstMessage *m = message(types)) {
      gst_message_unref(m);
      n++;
    }
    return n;
  }
  // Whether the element's pad has caps with this feature.
  bool has_feature(const char *pad, const char *feature) {
    GstPad *p = gst_element_get_static_pad(element_, pad);
    GstCaps *caps = gst_pad_get_current_caps(p);
    gst_object_unref(p);
    const bool has = caps && gst_caps_features_contains(gst_caps_get_features(caps, 0), feature);
    if (caps) gst_caps_unref(caps);
    return has;
  }

 private:
  GstHarness *harness_;
  GstBus *bus_;
  GstElement *element_;
};

// Frames of a street: two objects come after a while.
inline std::vector<Picture> street(const char *format, int width, int height, int frames) {
  std::vector<Picture> pictures;
  for (int n = 0; n < frames; n++) {
    std::vector<Rect> objects;
    if (n > frames / 3 && width > 60 && height > 40)
      objects = {{n * 7 % (width - 40), 5, 24, 20}, {width / 2, height / 2, 9, 12}};
    pictures.push_back(scene(format, width, height, n, objects));
  }
  return pictures;
}

} // namespace vigil::test
