// SPDX-License-Identifier: LGPL-2.1-or-later
// Crops of tracks, with boxes and pictures that no camera should give.
#include "common/error.h"
#include "gst/video/gst_ptr.h"
#include "tests/unit.h"
#include "tools/vigil-monitor/detector/crop.h"
#include "tools/vigil-monitor/labels/event_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

struct Picture {
  GstVideoInfo info{};
  gst::BufferPtr buffer;
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

// Of an event's stored picture.
void stored_pictures() {
  std::string folder = (std::filesystem::temp_directory_path() / "vigil-picture-XXXXXX").string();
  expect(mkdtemp(folder.data()) != nullptr, "a folder");
  const std::string file = folder + "/a.jpg", half = folder + "/half.jpg";
  const std::string line = "videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=I420,width=320,"
                           "height=180 ! jpegenc ! filesink location=" +
                           file;
  GstElement *pipeline = gst_parse_launch(line.c_str(), nullptr);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *end = gst_bus_timed_pop_filtered(
      bus, GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  expect(end && GST_MESSAGE_TYPE(end) == GST_MESSAGE_EOS, "a JPEG file");
  gst_message_unref(end);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);

  const Rect middle{0.4, 0.4, 0.2, 0.2};
  const label::Picture whole = picture_in(file, middle);
  expect(whole.size() == label::picture_bytes &&
             std::all_of(whole.begin(), whole.end(), [](std::uint8_t v) { return v > 200; }),
         "white, whole");
  expect(picture_in(file, {0.5, 0.5, 1 / 320., 1 / 180.}).size() == label::picture_bytes, "of one pixel");
  for (const Rect &outside : {Rect{2, 0, 1, 1}, Rect{0, 0, 0, 0}, Rect{nan, 0, 1, 1}})
    expect(picture_in(file, outside).empty(), "outside: " + words(outside));
  expect(picture_in(folder + "/none.jpg", middle).empty(), "no file");
  std::ofstream(half) << "this is no picture";
  expect(picture_in(half, middle).empty(), "no picture");
  std::filesystem::copy_file(file, half, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(half, std::filesystem::file_size(file) / 4);
  const auto cut_off = picture_in(half, middle);
  expect(cut_off.empty() || cut_off.size() == label::picture_bytes, "a part of a file");
  std::filesystem::remove_all(folder);
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  return test::run_cases(
      "crops of tracks",
      {{"odd boxes", odd_boxes}, {"odd pictures", odd_pictures}, {"stored pictures", stored_pictures}});
}
