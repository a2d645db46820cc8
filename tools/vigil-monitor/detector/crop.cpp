// SPDX-License-Identifier: LGPL-2.1-or-later
#include "crop.h"

#include "gst/video/gst_ptr.h"
#include "kernels/label/picture.h"
#include "tools/base/mapped.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

namespace vigil::monitor {
namespace {

GstVideoRectangle rectangle(const label::Part &p) {
  return {p.x, p.y, p.width, p.height};
}

bool convert(GstBuffer *buffer, const GstVideoInfo &info, const GstVideoRectangle &from,
             const GstVideoRectangle &to, std::vector<std::uint8_t> &rgb, int width, int height) {
  GstVideoInfo out;
  gst_video_info_set_format(&out, GST_VIDEO_FORMAT_RGB, static_cast<guint>(width),
                            static_cast<guint>(height));
  GST_VIDEO_INFO_INTERLACE_MODE(&out) = GST_VIDEO_INFO_INTERLACE_MODE(&info);
  GstVideoInfo in = info; // the converter takes frames of one rate alone
  GST_VIDEO_INFO_FPS_N(&out) = GST_VIDEO_INFO_FPS_N(&in);
  GST_VIDEO_INFO_FPS_D(&out) = GST_VIDEO_INFO_FPS_D(&in);
  const std::unique_ptr<GstVideoConverter, gst::Releaser<gst_video_converter_free>> converter(
      gst_video_converter_new(
          &in, &out,
          gst_structure_new(
              "convert", GST_VIDEO_CONVERTER_OPT_SRC_X, G_TYPE_INT, from.x, GST_VIDEO_CONVERTER_OPT_SRC_Y,
              G_TYPE_INT, from.y, GST_VIDEO_CONVERTER_OPT_SRC_WIDTH, G_TYPE_INT, from.w,
              GST_VIDEO_CONVERTER_OPT_SRC_HEIGHT, G_TYPE_INT, from.h, GST_VIDEO_CONVERTER_OPT_DEST_X,
              G_TYPE_INT, to.x, GST_VIDEO_CONVERTER_OPT_DEST_Y, G_TYPE_INT, to.y,
              GST_VIDEO_CONVERTER_OPT_DEST_WIDTH, G_TYPE_INT, to.w, GST_VIDEO_CONVERTER_OPT_DEST_HEIGHT,
              G_TYPE_INT, to.h, GST_VIDEO_CONVERTER_OPT_FILL_BORDER, G_TYPE_BOOLEAN, TRUE, nullptr)));
  if (!converter) return false;
  const std::unique_ptr<GstBuffer, decltype(&gst_buffer_unref)> made(
      gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&out), nullptr), gst_buffer_unref);
  tools::MappedFrame source(buffer, in, GST_MAP_READ), target(made.get(), out, GST_MAP_READWRITE);
  if (!source || !target) return false;
  gst_video_converter_frame(converter.get(), &source.get(), &target.get());
  const auto line = std::size_t{3} * static_cast<std::size_t>(width);
  rgb.resize(line * static_cast<std::size_t>(height));
  const auto *from_line = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&target.get(), 0));
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); y++) {
    std::memcpy(rgb.data() + y * line, from_line, line);
    from_line += GST_VIDEO_FRAME_PLANE_STRIDE(&target.get(), 0);
  }
  return true;
}

} // namespace

std::optional<Crop> cut_out(GstBuffer *buffer, const GstVideoInfo &info, const Rect &box, int width,
                            int height) {
  const int w = GST_VIDEO_INFO_WIDTH(&info), h = GST_VIDEO_INFO_HEIGHT(&info);
  if (w < 2 || h < 2) return std::nullopt;
  const double left = std::clamp(box.x, 0., 1.) * w, top = std::clamp(box.y, 0., 1.) * h,
               right = std::clamp(box.x + box.width, 0., 1.) * w,
               bottom = std::clamp(box.y + box.height, 0., 1.) * h;
  if (!(right > left) || !(bottom > top)) return std::nullopt;
  const label::Part part = label::part_around({left, top, right - left, bottom - top}, w, h);
  const GstVideoRectangle from = rectangle(part), to = rectangle(label::fitted(part, width, height));
  Crop out;
  if (!convert(buffer, info, from, to, out.rgb, width, height)) return std::nullopt;
  const double across = double(to.w) / from.w / width, down = double(to.h) / from.h / height;
  // A crop ends at an even pixel, so the last column or line of a picture of odd size may be outside of it.
  const double x = std::min(left, from.x + from.w - 1.), y = std::min(top, from.y + from.h - 1.);
  out.object = {(x - from.x) * across + double(to.x) / width, (y - from.y) * down + double(to.y) / height,
                (std::min(right, double(from.x + from.w)) - x) * across,
                (std::min(bottom, double(from.y + from.h)) - y) * down};
  return out;
}

} // namespace vigil::monitor
