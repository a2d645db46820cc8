// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests of glcolinearseg share: the element between glupload and gldownload, frames, and the
// reference's masks.
#pragma once

#include "kernels/colinearseg/colinearseg.h"
#include "tests/elements/fixture.h"

#include <algorithm>
#include <gst/gl/gl.h>

namespace vigil::test {

inline constexpr int width = 150, height = 94;

// The element between glupload and gldownload, in a bin, with the messages of all; with backend=cpu by
// itself.
class Chain {
 public:
  explicit Chain(const std::string &settings, int w = width, int h = height)
      : harness_(gst_harness_new_parse(
            (without_textures(settings)
                 ? "glcolinearseg name=seg " + settings
                 : "glupload ! glcolorconvert ! glcolinearseg name=seg backend=opengl " + settings +
                       " ! gldownload")
                .c_str())),
        bus_(gst_bus_new()) {
    gst_element_set_bus(harness_->element, bus_);
    element_ = GST_IS_BIN(harness_->element) ? gst_bin_get_by_name(GST_BIN(harness_->element), "seg")
                                             : GST_ELEMENT(gst_object_ref(harness_->element));
    caps(w, h);
  }
  ~Chain() {
    gst_element_set_bus(harness_->element, nullptr);
    gst_object_unref(element_);
    gst_harness_teardown(harness_);
    gst_object_unref(bus_);
  }
  Chain(const Chain &) = delete;
  Chain &operator=(const Chain &) = delete;

  void caps(int w, int h) { gst_harness_set_src_caps_str(harness_, caps_of("RGBA", w, h).c_str()); }
  // Through NULL, and to the beginning of a stream.
  void restart() {
    gst_element_set_state(harness_->element, GST_STATE_NULL);
    gst_element_set_state(harness_->element, GST_STATE_PLAYING);
    gst_harness_push_event(harness_, gst_event_new_stream_start("again"));
    caps(width, height);
  }
  GstElement *get() { return element_; }
  GstHarness *harness() { return harness_; }
  GstFlowReturn push(const Picture &p, int number) { return gst_harness_push(harness_, p.buffer(number)); }
  GstBuffer *pull() {
    GstBuffer *b = gst_harness_pull(harness_);
    fail_unless(b != nullptr, "no frame came");
    return b;
  }
  std::vector<std::uint8_t> bytes() {
    GstBuffer *b = pull();
    GstMapInfo map;
    fail_unless(gst_buffer_map(b, &map, GST_MAP_READ));
    std::vector<std::uint8_t> v(map.data, map.data + map.size);
    gst_buffer_unmap(b, &map);
    gst_buffer_unref(b);
    return v;
  }
  std::vector<std::uint8_t> process(const Picture &p, int number) {
    fail_unless_equals_int(push(p, number), GST_FLOW_OK);
    return bytes();
  }
  GstStructure *stats() {
    GstStructure *s = nullptr;
    g_object_get(element_, "stats", &s, nullptr);
    return s;
  }
  std::uint64_t stat(const char *field) {
    GstStructure *s = stats();
    guint64 v = 0;
    fail_unless(gst_structure_get_uint64(s, field, &v), "stats has no %s", field);
    gst_structure_free(s);
    return v;
  }
  GstMessage *message(GstMessageType type) { return gst_bus_pop_filtered(bus_, type); }
  // The text of the next error or warning; its code must be this one.
  std::string problem(GstMessageType type, GQuark domain, int code) {
    GstMessage *m = message(type);
    fail_unless(m != nullptr, "no error or warning was posted");
    GError *error = nullptr;
    type == GST_MESSAGE_ERROR ? gst_message_parse_error(m, &error, nullptr)
                              : gst_message_parse_warning(m, &error, nullptr);
    const std::string words = error->message;
    fail_unless(g_error_matches(error, domain, code), "wrong code: %s", error->message);
    g_error_free(error);
    gst_message_unref(m);
    return words;
  }
  std::vector<std::string> events() {
    std::vector<std::string> names;
    while (GstMessage *m = message(GST_MESSAGE_ELEMENT)) {
      if (GST_MESSAGE_SRC(m) == GST_OBJECT(element_))
        names.push_back(gst_structure_get_name(gst_message_get_structure(m)));
      gst_message_unref(m);
    }
    return names;
  }

 private:
  static bool without_textures(const std::string &settings) {
    return settings.find("backend=cpu") != std::string::npos;
  }
  GstHarness *harness_;
  GstBus *bus_;
  GstElement *element_;
};

inline Picture frame_at(int number) {
  const std::vector<Rect> objects = {{10 + 3 * number, 20, 30, 40}, {100, 10 + number, 12, 25}};
  return number < 5 ? scene("RGBA", width, height, number)
                    : scene("RGBA", width, height, number, objects, number % 9 == 8 ? -15 : 0);
}

// Masks of the reference for frame_at(0), frame_at(1), ...
class Wanted {
 public:
  explicit Wanted(const colinearseg::Params &p, int learn = 5, int w = width, int h = height)
      : params_(p), reference_({w, h}, learn) {}
  std::vector<std::uint8_t> mask(Picture p) {
    const Image image = p.image();
    std::vector<std::uint8_t> m(std::size_t(image.width) * image.height);
    reference_.segment(image, params_, {m.data(), image.width, image.height, image.width});
    return m;
  }
  colinearseg::Reference &reference() { return reference_; }

 private:
  colinearseg::Params params_;
  colinearseg::Reference reference_;
};

// `rgba` is white and opaque where the mask is set, else black and opaque. (One check for all: libcheck
// writes each down.)
inline void expect_mask(const std::vector<std::uint8_t> &mask, const std::vector<std::uint8_t> &rgba,
                        int number) {
  fail_unless_equals_int64(gint64(rgba.size()), gint64(4 * mask.size()));
  std::size_t wrong = 0, last = 0;
  for (std::size_t i = 0; i < rgba.size(); i++)
    if (rgba[i] != (i % 4 == 3 ? 255 : mask[i / 4])) {
      wrong++;
      last = i / 4;
    }
  fail_unless(wrong == 0, "frame %d differs from the reference in %d bytes, the last in pixel %d", number,
              int(wrong), int(last));
}

inline std::size_t ones(const std::vector<std::uint8_t> &mask) {
  return std::size_t(std::count(mask.begin(), mask.end(), 255));
}

inline const char *const shaders[] = {"fragment", "compute"};
inline const char *const places[] = {"shaders=fragment", "shaders=compute", "backend=cpu"};

} // namespace vigil::test
