// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests of cljointbilateral share: the element between two harnesses, its frames, and what the
// kernel's double precision reference makes of them. The harness' clock stands still unless a test moves it,
// and both pads are live, so that nothing here depends on how fast the machine is.
#pragma once

#include "common/device.h"
#include "kernels/bilateral/bilateral.h"
#include "tests/elements/fixture.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace vigil::test {

inline constexpr int width = 75, height = 41;
inline const bilateral::Params settings_of_tests{
    .spatial_sigma = 1.5f, .range_sigma = 0.05f, .algorithm = bilateral::Algorithm::exact};

struct Joint {
  explicit Joint(const std::string &more = "", bool with_guide = true) {
    element = gst_parse_launch(
        ("cljointbilateral tune=off algorithm=exact spatial-sigma=1.5 range-sigma=0.05 " + more).c_str(),
        nullptr);
    fail_unless(element);
    gst_object_ref_sink(element);
    bus = gst_bus_new();
    gst_element_set_bus(element, bus);
    if (with_guide) guide = gst_harness_new_with_element(element, "guide", nullptr);
    picture = gst_harness_new_with_element(element, "sink", "src");
  }
  ~Joint() {
    if (guide) gst_harness_teardown(guide);
    gst_harness_teardown(picture);
    gst_element_set_bus(element, nullptr);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_object_unref(element);
    gst_object_unref(bus);
  }
  Joint(const Joint &) = delete;
  Joint &operator=(const Joint &) = delete;

  void caps(const char *format, int w = width, int h = height) {
    gst_harness_set_src_caps_str(picture, caps_of(format, w, h).c_str());
  }
  void guide_caps(const char *format, int w = width, int h = height, int fps = 25) {
    gst_harness_set_src_caps_str(guide, caps_of(format, w, h, "", fps).c_str());
  }
  // The next picture, after waiting for it; fails the test when none comes within 50 s. The first one waits
  // for the kernel's compilation, which a busy machine has taken 20 s for.
  std::vector<std::uint8_t> pull() {
    for (int i = 0; i < 25000; i++) {
      if (GstBuffer *b = gst_harness_try_pull(picture)) return bytes_of(picture, b);
      g_usleep(2000);
    }
    fail_unless(false, "no picture came out");
    return {};
  }
  guint64 stat(const char *field) {
    GstStructure *s = nullptr;
    g_object_get(element, "stats", &s, nullptr);
    guint64 value = 0;
    fail_unless(gst_structure_get_uint64(s, field, &value), "%s", field);
    gst_structure_free(s);
    return value;
  }
  int messages(GstMessageType type) {
    int n = 0;
    while (GstMessage *m = gst_bus_pop_filtered(bus, type)) {
      n++;
      gst_message_unref(m);
    }
    return n;
  }
  void no_error() { fail_unless_equals_int(messages(GST_MESSAGE_ERROR), 0); }
  // The picture waits: the aggregator has nothing to do, and nothing has come out.
  void nothing_comes() {
    g_usleep(50000);
    fail_unless(gst_harness_try_pull(picture) == nullptr, "a picture came out too early");
  }

  GstElement *element;
  GstBus *bus;
  GstHarness *picture = nullptr, *guide = nullptr;
};

inline std::vector<std::uint8_t> wanted(Picture in, Picture *guide,
                                        const bilateral::Params &params = settings_of_tests) {
  Picture out = in;
  const Image image = in.image();
  const auto host = open_cpu(1);
  bilateral::make_reference({image.format, image.width, image.height})
      ->apply(image, guide ? ConstImage(guide->image()) : ConstImage{}, out.image(), params,
              *host->make_queue());
  return bytes_of(out.image());
}

inline void expect_near(const std::vector<std::uint8_t> &want, const std::vector<std::uint8_t> &got,
                        bool wide, const std::string &what) {
  fail_unless(want.size() == got.size(), "%s: %zu bytes, not %zu", what.c_str(), got.size(), want.size());
  const std::size_t bytes = wide ? 2 : 1;
  for (std::size_t i = 0; i + bytes <= want.size(); i += bytes) {
    const auto at = [&](const std::vector<std::uint8_t> &v) { return wide ? v[i] | v[i + 1] << 8 : v[i]; };
    const int off = std::abs(at(want) - at(got));
    fail_unless(off <= (wide ? 8 : 1), "%s: sample %zu is %d, not %d", what.c_str(), i / bytes, at(got),
                at(want));
  }
}

inline Picture picture_of(int n, const char *format = "GRAY8", int w = width, int h = height) {
  return scene(format, w, h, n, {{10 + n % 30, 8, 17, 20}});
}
inline Picture guide_of(int n, const char *format = "GRAY8", int w = width, int h = height) {
  return scene(format, w, h, 1000 + n, {{30 - n % 20, 12, 21, 17}}, 20);
}
inline constexpr GstClockTime ms = GST_MSECOND;
// The frame begins at this time and lasts this long.
inline GstBuffer *at(GstBuffer *b, GstClockTime time, GstClockTime lasts = 40 * ms) {
  GST_BUFFER_PTS(b) = time;
  GST_BUFFER_DURATION(b) = lasts;
  return b;
}

} // namespace vigil::test
