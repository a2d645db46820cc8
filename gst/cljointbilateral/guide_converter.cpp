// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cljointbilateral/guide_converter.h"

#include "common/error.h"
#include "gst/video/formats.h"

namespace vigil::gst::cljointbilateral {
namespace {

// A frame that is mapped until the end of its block.
struct Mapped {
  Mapped(const GstVideoInfo &info, GstBuffer *buffer, GstMapFlags flags) {
    map_frame(frame, info, buffer, flags);
  }
  ~Mapped() { gst_video_frame_unmap(&frame); }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  GstVideoFrame frame;
};

bool same_pictures(const GstVideoInfo &a, const GstVideoInfo &b) {
  return GST_VIDEO_INFO_FORMAT(&a) == GST_VIDEO_INFO_FORMAT(&b) && a.width == b.width && a.height == b.height;
}

} // namespace

GuideConverter::GuideConverter(const GstVideoInfo &guide, const GstVideoInfo &picture)
    : from_(guide), to_(picture) {
  if (same_pictures(guide, picture)) return;
  // The converter refuses frames of different rates; it converts pictures one by one.
  GstVideoInfo from = from_;
  from.fps_n = to_.fps_n;
  from.fps_d = to_.fps_d;
  converter_.reset(gst_video_converter_new(
      &from, &to_,
      gst_structure_new("options", GST_VIDEO_CONVERTER_OPT_RESAMPLER_METHOD, GST_TYPE_VIDEO_RESAMPLER_METHOD,
                        GST_VIDEO_RESAMPLER_METHOD_LINEAR, nullptr)));
  if (!converter_)
    fail(Error::Kind::bad_setting, "the guide's frames (", gst_video_format_to_string(guide.finfo->format),
         ", ", guide.width, "x", guide.height, ") cannot be made ones of ",
         gst_video_format_to_string(picture.finfo->format), ", ", picture.width, "x", picture.height,
         ": put videoconvert and videoscale before the pad guide");
  converted_.reset(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&to_), nullptr));
  if (!converted_) fail(Error::Kind::no_memory, "no memory for a guide picture");
}

GstBuffer *GuideConverter::convert(GstBuffer *buffer) {
  if (!converter_) return buffer;
  if (source_.get() == buffer) return converted_.get();
  source_.reset();
  {
    const Mapped in(from_, buffer, GST_MAP_READ);
    Mapped out(to_, converted_.get(), GST_MAP_WRITE);
    gst_video_converter_frame(converter_.get(), &in.frame, &out.frame);
  }
  source_.reset(gst_buffer_ref(buffer));
  return converted_.get();
}

} // namespace vigil::gst::cljointbilateral
