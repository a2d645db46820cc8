// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera clips R, G and B before it makes Y, U and V of them, none of which is at the end of its range
// then. When its exposure rises, what is clipped is no motion: in the matrices, ranges and orders of chroma
// that caps name.
#include "tests/elements/fixture.h"

#include <algorithm>
#include <cmath>
#include <string>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr int width = 160, height = 120, patch = 20; // pixels

struct Colorimetry {
  const char *format, *name; // as caps have them
  double kr, kb;
  bool full_range;
};

// Frame `number` of patches of colours, of 30 to 230 each, by a camera of this gain.
Picture photograph(int number, double gain, const Colorimetry &k) {
  Picture p(k.format, width, height);
  const Image to = p.image();
  const bool v_first = to.format == PixelFormat::nv12; // NV21
  const auto byte = [](double v) { return static_cast<std::uint8_t>(std::clamp(std::lround(v), 0L, 255L)); };
  const auto next = [](std::uint32_t &r) { return (r = r * 1664525u + 1013904223u) >> 16; };
  std::uint32_t noise = static_cast<std::uint32_t>(number) * 2654435761u + 1;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      auto colour = static_cast<std::uint32_t>(y / patch * (width / patch) + x / patch) * 2654435761u + 7;
      double seen[3];
      for (double &v : seen) v = std::min(gain * (30 + next(colour) % 200), 255.) / 255;
      const double luma = k.kr * seen[0] + (1 - k.kr - k.kb) * seen[1] + k.kb * seen[2];
      const double scale = k.full_range ? 255 : 219, chroma = k.full_range ? 255 : 224;
      const auto u = byte(128 + chroma * (seen[2] - luma) / (2 * (1 - k.kb))),
                 v = byte(128 + chroma * (seen[0] - luma) / (2 * (1 - k.kr)));
      to.plane(0).row(y)[x] = byte((k.full_range ? 0 : 16) + scale * luma + next(noise) % 3 - 1.);
      std::uint8_t *const first = to.plane(1).row(y / 2) + (v_first ? x / 2 * 2 : x / 2);
      (v_first ? first[1] : *first) = u;
      (v_first ? *first : to.plane(2).row(y / 2)[x / 2]) = v;
    }
  return p;
}

} // namespace

GST_START_TEST(what_a_camera_clips_is_no_motion) {
  constexpr Colorimetry cameras[] = {{"I420", "bt601", 0.299, 0.114, false},
                                     {"NV21", "bt709", 0.2126, 0.0722, false},
                                     {"I420", "1:4:0:0", 0.299, 0.114, true}};
  for (const Colorimetry &k : cameras) {
    Element element("backend=" + tested_backend() + " async-depth=0 detect-shadows=false light-jump=0");
    element.caps(caps_of(k.format, width, height) + ",colorimetry=" + k.name);
    double most = 0;
    for (int n = 0; n < 120; n++) {
      const double gain = 1 + 0.4 * std::clamp((n - 60) / 20., 0., 1.);
      fail_unless_equals_int(element.push(photograph(n, gain, k), n), GST_FLOW_OK);
      GstBuffer *b = element.pull();
      fail_unless(b != nullptr, "no frame came");
      const auto mask = element.bytes_of(b);
      gst_buffer_unref(b);
      if (n >= 60)
        most = std::max(most, double(std::count(mask.begin(), mask.end(), 255)) / double(mask.size()));
    }
    fail_unless(most < 0.01, "%s, %s: %f of the picture is foreground", k.format, k.name, most);
    GstStructure *stats = nullptr;
    g_object_get(element.get(), "stats", &stats, nullptr);
    double gain = 0;
    fail_unless(gst_structure_get_double(stats, "exposure-gain", &gain));
    gst_structure_free(stats);
    fail_unless(std::abs(gain - 1.4) < 0.05, "%s, %s: the gain is %f", k.format, k.name, gain);
  }
}
GST_END_TEST

static Suite *cudamog_clipped_suite() {
  Suite *suite = suite_create("cudamog-clipped");
  TCase *tests = tcase_create("clipped");
  suite_add_tcase(suite, tests);
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, what_a_camera_clips_is_no_motion);
  return suite;
}
int main(int argc, char **argv) {
  if (tested_backend() == "cuda" && skipped_without_cuda("cudamog-clipped")) return 77;
  if (tested_backend() == "gl" && skipped_without_gl("cudamog-clipped")) return 77;
  return run(cudamog_clipped_suite(), argc, argv);
}
