// SPDX-License-Identifier: LGPL-2.1-or-later
// Crops of tracks, with boxes and pictures that no camera should give.
#include "common/error.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/detector/crop.h"

#include <algorithm>
#include <cmath>
#include <gst/gst.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace vigil;
using namespace vigil::monitor;
using vigil::test::expect;

namespace {

constexpr int side = 64; // of the network's input
constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

struct Unref {
  void operator()(GstBuffer *b) const { gst_buffer_unref(b); }
};
struct Picture {
  GstVideoInfo info{};
  std::unique_ptr<GstBuffer, Unref> buffer;
};

// Each byte of it is `value`. `missing` bytes are cut off at its end.
Picture picture(GstVideoFormat format, int width, int height, guint8 value, std::size_t missing = 0) {
  Picture p;
  gst_video_info_set_format(&p.info, format, static_cast<guint>(width), static_cast<guint>(height));
  const std::size_t size = GST_VIDEO_INFO_SIZE(&p.info) - missing;
  p.buffer.reset(gst_buffer_new_allocate(nullptr, size, nullptr));
  gst_buffer_memset(p.buffer.get(), 0, value, size);
  return p;
}

std::optional<Crop> cut(const Picture &p, const Rect &box) {
  return cut_out(p.buffer.get(), p.info, box, side, side);
}

// Whole, with the object inside of it.
bool is_good(const std::optional<Crop> &c) {
  constexpr double little = 1e-9;
  return c && c->rgb.size() == std::size_t{3} * side * side && c->object.width > 0 && c->object.height > 0 &&
         c->object.x >= -little && c->object.y >= -little && c->object.x + c->object.width <= 1 + little &&
         c->object.y + c->object.height <= 1 + little;
}

std::string words(const Rect &r) {
  return text(r.x, ",", r.y, " ", r.width, "x", r.height);
}

void odd_boxes() {
  const Picture p = picture(GST_VIDEO_FORMAT_I420, 320, 240, 128);
  const double pixel = 1. / 320, line = 1. / 240;
  for (const Rect &box :
       {Rect{0.5, 0.5, pixel, line}, Rect{0, 0, pixel, line}, Rect{1 - pixel, 1 - line, pixel, line},
        Rect{-0.1, -0.1, 0.2, 0.2}, Rect{0.9, 0.9, 0.5, 0.5}, Rect{-1, 0.4, 3, 0.01}, Rect{-5, -5, 10, 10},
        Rect{0, 0, 1, 1}, Rect{0.5, 0.5, 1e-9, 1e-9}, Rect{0, 0, infinity, infinity},
        Rect{-1e300, 0, 2e300, 1}})
    expect(is_good(cut(p, box)), "cut out: " + words(box));
  for (const Rect &box :
       {Rect{1, 0.5, 0.1, 0.1}, Rect{1.5, 0.5, 0.1, 0.1}, Rect{-0.2, 0.5, 0.1, 0.1}, Rect{0.5, 7, 0.1, 0.1},
        Rect{0.5, -0.1, 0.1, 0.1}, Rect{0.5, 0.5, 0, 0}, Rect{0.5, 0.5, -0.1, 0.1}, Rect{nan, 0.5, 0.1, 0.1},
        Rect{0.5, 0.5, nan, 0.1}, Rect{0.5, 0.5, 0.1, nan}, Rect{-infinity, 0, infinity, 1},
        Rect{infinity, infinity, infinity, infinity}})
    expect(!cut(p, box), "outside, empty or no number: " + words(box));
}

void odd_pictures() {
  const Rect middle{0.4, 0.4, 0.2, 0.2};
  const auto black = cut(picture(GST_VIDEO_FORMAT_RGB, 320, 240, 0), middle);
  expect(is_good(black) && std::all_of(black->rgb.begin(), black->rgb.end(), [](auto v) { return v == 0; }),
         "a black picture gives a black crop");
  for (const auto format : {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY8,
                            GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_I420_10LE})
    for (const auto &[width, height] : {std::pair{2, 2}, {3, 3}, {33, 17}, {4000, 2}, {2, 3000}, {641, 479}})
      for (const Rect &box : {middle, Rect{0, 0, 1, 1}, Rect{0.99, 0.99, 0.01, 0.01}})
        expect(is_good(cut(picture(format, width, height, 90), box)),
               text(gst_video_format_to_string(format), " ", width, "x", height, ": ", words(box)));
  expect(!cut(picture(GST_VIDEO_FORMAT_I420, 1, 1, 90), middle), "a picture of one pixel");
  expect(!cut(picture(GST_VIDEO_FORMAT_I420, 320, 240, 90, 1000), middle),
         "a buffer that is smaller than its caps say");
  expect(
      !cut_out(picture(GST_VIDEO_FORMAT_I420, 320, 240, 90).buffer.get(), GstVideoInfo{}, middle, side, side),
      "pictures before any caps");
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  return test::run_cases("crops of tracks", {{"odd boxes", odd_boxes}, {"odd pictures", odd_pictures}});
}
