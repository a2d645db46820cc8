// SPDX-License-Identifier: LGPL-2.1-or-later
// clbilateral: pixels against the kernel's double precision reference, in every format and with every
// property.
#include "common/device.h"
#include "kernels/bilateral/bilateral.h"
#include "kernels/filter/filter.h"
#include "tests/elements/fixture.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>

using namespace vigil;
using namespace vigil::test;
using bilateral::Params;

namespace {

constexpr const char *formats[] = {"RGBA", "RGBx",      "BGRA",      "BGRx", "GRAY8", "NV12",
                                   "I420", "P010_10LE", "GRAY16_LE", "YV12", "NV21"};
constexpr int width = 75, height = 41;

struct Bilateral : Harness {
  explicit Bilateral(const std::string &settings = "") : Harness("clbilateral " + settings) {}
};

Picture frame(const char *format, int n, int w = width, int h = height) {
  return scene(format, w, h, n,
               w > 60 && h > 40 ? std::vector<Rect>{{n % 30, 8, 17, 20}} : std::vector<Rect>{});
}

std::vector<std::uint8_t> wanted(Picture in, const Params &params) {
  Picture out = in;
  const Image image = in.image();
  const auto host = open_cpu(1);
  bilateral::make_reference({image.format, image.width, image.height})
      ->apply(image, out.image(), params, *host->make_queue());
  return bytes_of(out.image());
}

// Samples of 8 or 16 bits, none of which may be off by more than one level; few by that.
void expect_near(const std::vector<std::uint8_t> &want, const std::vector<std::uint8_t> &got,
                 PixelFormat format, const std::string &what) {
  fail_unless(want.size() == got.size(), "%s: %zu bytes, not %zu", what.c_str(), got.size(), want.size());
  const std::size_t bytes = is_16_bit(format) ? 2 : 1;
  const int level = format == PixelFormat::p010 ? 64 : 1; // 10 bits in the upper part of 16
  std::size_t different = 0;
  for (std::size_t i = 0; i + bytes <= want.size(); i += bytes) {
    const auto at = [&](const std::vector<std::uint8_t> &v) {
      return bytes == 2 ? v[i] | v[i + 1] << 8 : v[i];
    };
    const int off = std::abs(at(want) - at(got));
    fail_unless(off <= (format == PixelFormat::gray16 ? 8 : level), "%s: sample %zu is %d, not %d",
                what.c_str(), i / bytes, at(got), at(want));
    different += off != 0;
  }
  if (format != PixelFormat::gray16) // 65535 levels: rounding of single precision shows
    fail_unless(different * 1000 <= want.size() / bytes + 999, "%s: %zu of %zu samples differ", what.c_str(),
                different, want.size() / bytes);
}

} // namespace

GST_START_TEST(pixels_are_the_references) {
  const char *format = formats[__i__];
  Bilateral e("algorithm=exact");
  int n = 0;
  for (const auto &[w, h] : {std::pair{width, height}, {1, 1}, {2, 3}, {320, 180}}) {
    e.caps(caps_of(format, w, h));
    for (const int padding : {-1, 0, 16, 14}) {
      Picture p = frame(format, n, w, h);
      const PixelFormat kind = p.image().format;
      fail_unless_equals_int(e.push(padding < 0 ? p.buffer(n) : p.padded(n, padding)), GST_FLOW_OK);
      expect_near(wanted(p, {.algorithm = bilateral::Algorithm::exact}), e.pull_bytes(), kind,
                  std::string(format) + " " + std::to_string(w) + "x" + std::to_string(h));
      n++;
    }
  }
  e.no_error();
}
GST_END_TEST

// Weights from the mean of the frames before, as the stage denoise of clfilter makes it of each plane.
GST_START_TEST(the_background_guides) {
  constexpr const char *guided[] = {"GRAY8", "RGBA", "NV12", "P010_10LE"};
  for (const char *format : guided) {
    Bilateral e("algorithm=exact guide=background guide-weight=0.8 guide-motion=0.1 range-sigma=0.02");
    e.caps(caps_of(format, width, height));
    const auto host = open_cpu(1);
    const auto queue = host->make_queue();
    Params params{.range_sigma = 0.02f, .algorithm = bilateral::Algorithm::exact};
    std::vector<std::unique_ptr<filter::Filter>> means;
    bool differs = false;
    for (int n = 0; n < 4; n++) {
      Picture in = frame(format, n), guide = in, out = in;
      const Image from = in.image(), to = guide.image();
      for (int i = 0; i < plane_count(from.format); i++) {
        const bool packed = from.format == PixelFormat::rgba;
        const PixelFormat as = packed                   ? PixelFormat::rgba
                               : is_16_bit(from.format) ? PixelFormat::gray16
                                                        : PixelFormat::gray8;
        const int samples = int(row_bytes(from.format, i, width) / row_bytes(as, 0, 1));
        if (n == 0)
          means.push_back(filter::make_reference(filter::parse("denoise weight=0.8 motion=0.1"), as));
        means[std::size_t(i)]->apply({as, samples, plane_rows(i, height), {from.data[i]}, {from.stride[i]}},
                                     {as, samples, plane_rows(i, height), {to.data[i]}, {to.stride[i]}},
                                     *queue);
      }
      bilateral::make_reference({from.format, width, height})->apply(from, to, out.image(), params, *queue);
      fail_unless_equals_int(e.push(in, n), GST_FLOW_OK);
      const auto want = bytes_of(out.image());
      expect_near(want, e.pull_bytes(), from.format, std::string(format) + ", frame " + std::to_string(n));
      differs = differs || want != wanted(in, params);
    }
    fail_unless(differs, "%s: the guide changes nothing", format);
    e.no_error();
  }
}
GST_END_TEST

// Every property reaches the filter, with the frame after it was set.
GST_START_TEST(properties_are_live) {
  Bilateral e("algorithm=exact");
  e.caps(caps_of("NV12", width, height));
  Params p;
  p.algorithm = bilateral::Algorithm::exact;
  int n = 0;
  std::vector<std::uint8_t> last;
  const auto check = [&](const char *property, const char *value, bool changes) {
    if (property) e.set(property, value);
    Picture in = frame("NV12", 3);
    e.push(in, n++);
    const auto got = e.pull_bytes();
    expect_near(wanted(in, p), got, PixelFormat::nv12, property ? property : "as it begins");
    if (property) fail_unless((got != last) == changes, "%s=%s", property, value);
    last = got;
  };
  check(nullptr, nullptr, false);
  p.spatial_sigma = 1;
  check("spatial-sigma", "1", true);
  p.range_sigma = 0.03f;
  check("range-sigma", "0.03", true);
  p.radius = 5;
  check("radius", "5", true);
  p.radius = 0;
  check("radius", "0", true);
  p.radius = -1;
  check("radius", "-1", true);
  p.chroma = true;
  check("chroma", "true", true);
  p.quantize_range = true;
  check("quantize-range", "true", true);
  p.weighting = bilateral::Weighting::channels;
  check("weighting", "channels", false); // one channel
}
GST_END_TEST

GST_START_TEST(weighting_matters_to_colours) {
  Bilateral e("algorithm=exact range-sigma=0.05");
  e.caps(caps_of("RGBA", width, height));
  Params p{.range_sigma = 0.05f, .algorithm = bilateral::Algorithm::exact};
  Picture in = frame("RGBA", 1);
  e.push(in, 0);
  const auto one = e.pull_bytes();
  expect_near(wanted(in, p), one, PixelFormat::rgba, "intensity");
  e.set("weighting", "channels");
  p.weighting = bilateral::Weighting::channels;
  e.push(in, 1);
  const auto other = e.pull_bytes();
  expect_near(wanted(in, p), other, PixelFormat::rgba, "channels");
  fail_unless(one != other);
}
GST_END_TEST

GST_START_TEST(a_radius_beyond_the_picture_is_taken) {
  for (const char *format : {"RGBA", "I420", "P010_10LE"}) {
    Bilateral e("algorithm=exact radius=20 spatial-sigma=12 chroma=true");
    for (const auto &[w, h] : {std::pair{1, 1}, {5, 3}, {3, 50}}) {
      e.caps(caps_of(format, w, h));
      Picture in = frame(format, 2, w, h);
      fail_unless_equals_int(e.push(in, 0), GST_FLOW_OK);
      const Params p{
          .spatial_sigma = 12, .radius = 20, .chroma = true, .algorithm = bilateral::Algorithm::exact};
      expect_near(wanted(in, p), e.pull_bytes(), in.image().format, format);
    }
  }
}
GST_END_TEST

// The approximation is one: close, and not the exact one.
GST_START_TEST(the_grid_is_near_the_exact_filter) {
  const std::string settings = "spatial-sigma=8 range-sigma=0.2 radius=-1 algorithm=";
  std::vector<std::uint8_t> got[2];
  for (const bool grid : {false, true}) {
    Bilateral e(settings + (grid ? "grid" : "exact"));
    e.caps(caps_of("GRAY8", 320, 180));
    e.push(frame("GRAY8", 1, 320, 180), 0);
    got[grid] = e.pull_bytes();
  }
  double squares = 0;
  for (std::size_t i = 0; i < got[0].size(); i++)
    squares += (got[0][i] - got[1][i]) * (got[0][i] - got[1][i]);
  const double mse = squares / double(got[0].size());
  fail_unless(got[0] != got[1], "both are the exact filter");
  fail_unless(mse < 255. * 255. / 10000, "PSNR against exact is below 40 dB: squared error %g", mse);
}
GST_END_TEST

// What describes the place of something goes on to the new picture; so do times.
GST_START_TEST(metadata_and_times_go_on) {
  Bilateral e;
  e.caps(caps_of("NV12", width, height));
  GstBuffer *b = frame("NV12", 0).buffer(7);
  GST_BUFFER_OFFSET(b) = 70;
  gst_buffer_add_video_region_of_interest_meta(b, "motion", 1, 2, 3, 4);
  e.push(b);
  b = e.pull();
  fail_unless(b && gst_buffer_get_video_region_of_interest_meta_id(b, 0));
  fail_unless_equals_uint64(GST_BUFFER_PTS(b), 7 * GST_SECOND / 25);
  fail_unless_equals_uint64(GST_BUFFER_DURATION(b), GST_SECOND / 25);
  fail_unless_equals_uint64(GST_BUFFER_OFFSET(b), 70);
  gst_buffer_unref(b);
}
GST_END_TEST

GST_START_TEST(caps_that_it_does_not_know_are_refused) {
  for (const char *format : {"YUY2", "RGB", "GRAY16_BE", "I420_10LE"}) {
    Bilateral e;
    e.caps(caps_of(format, width, height));
    Picture p("GRAY8", 2 * width, 2 * height);
    fail_unless_equals_int(e.push(p.buffer(0)), GST_FLOW_NOT_NEGOTIATED);
  }
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("clbilateral");
  TCase *tests = tcase_create("general");
  tcase_set_timeout(tests, 180);
  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, pixels_are_the_references, 0, int(std::size(formats)));
  tcase_add_test(tests, the_background_guides);
  tcase_add_test(tests, properties_are_live);
  tcase_add_test(tests, weighting_matters_to_colours);
  tcase_add_test(tests, a_radius_beyond_the_picture_is_taken);
  tcase_add_test(tests, the_grid_is_near_the_exact_filter);
  tcase_add_test(tests, metadata_and_times_go_on);
  tcase_add_test(tests, caps_that_it_does_not_know_are_refused);
  return run(suite, argc, argv);
}
