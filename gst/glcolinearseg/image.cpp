// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/image.h"

#include "common/error.h"
#include "gst/video/formats.h"
#include "gst/video/gst_ptr.h"

#include <gst/video/video.h>

namespace vigil::gst::glcolinearseg {
namespace {

// A mapped frame with an owner.
class Mapped {
 public:
  Mapped(const GstVideoInfo &info, GstBuffer *buffer, GstMapFlags flags) {
    map_frame(frame, info, buffer, flags);
  }
  ~Mapped() { gst_video_frame_unmap(&frame); }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  GstVideoFrame frame{};
};

} // namespace

Picture picture_of(GstSample *sample) {
  GstCaps *caps = sample ? gst_sample_get_caps(sample) : nullptr;
  GstBuffer *buffer = sample ? gst_sample_get_buffer(sample) : nullptr;
  GstVideoInfo info, rgba;
  if (!caps || !buffer || !gst_video_info_from_caps(&info, caps))
    fail(Error::Kind::bad_data, "the background's sample holds no raw video frame");
  gst_video_info_set_format(&rgba, GST_VIDEO_FORMAT_RGBA, static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)),
                            static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info)));
  rgba.fps_n = info.fps_n;
  rgba.fps_d = info.fps_d;
  rgba.interlace_mode = info.interlace_mode; // nothing is deinterlaced
  const std::unique_ptr<GstVideoConverter, Releaser<gst_video_converter_free>> converter(
      gst_video_converter_new(&info, &rgba, nullptr));
  if (!converter)
    fail(Error::Kind::bad_data, "a background of format ", GST_VIDEO_INFO_NAME(&info),
         " cannot be converted to RGBA");
  Picture p{GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info), {}};
  const BufferPtr result(gst_buffer_new_and_alloc(rgba.size));
  const Mapped from(info, buffer, GST_MAP_READ);
  Mapped to(rgba, result.get(), GST_MAP_WRITE);
  gst_video_converter_frame(converter.get(), &from.frame, &to.frame);
  const auto *pixels = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&to.frame, 0));
  p.rgba.assign(pixels, pixels + std::size_t(4) * p.width * p.height);
  return p;
}

} // namespace vigil::gst::glcolinearseg
