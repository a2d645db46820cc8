// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/video/formats.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace vigil::gst {

PixelFormat pixel_format(const GstVideoInfo &info) {
  switch (GST_VIDEO_INFO_FORMAT(&info)) {
  case GST_VIDEO_FORMAT_GRAY8:
    return PixelFormat::gray8;
  case GST_VIDEO_FORMAT_NV12:
  case GST_VIDEO_FORMAT_NV21:
    return PixelFormat::nv12;
  case GST_VIDEO_FORMAT_I420:
  case GST_VIDEO_FORMAT_YV12:
    return PixelFormat::i420;
  case GST_VIDEO_FORMAT_RGBA:
  case GST_VIDEO_FORMAT_RGBx:
    return PixelFormat::rgba;
  case GST_VIDEO_FORMAT_BGRA:
  case GST_VIDEO_FORMAT_BGRx:
    return PixelFormat::bgra;
  case GST_VIDEO_FORMAT_GRAY16_LE:
    return PixelFormat::gray16;
  case GST_VIDEO_FORMAT_P010_10LE:
    return PixelFormat::p010;
  case GST_VIDEO_FORMAT_RGBA64_LE:
    return PixelFormat::rgba64;
  case GST_VIDEO_FORMAT_I420_10LE:
    return PixelFormat::i420_10;
  default:
    fail(Error::Kind::bad_setting, "pictures in ", GST_VIDEO_INFO_NAME(&info),
         " are not supported; put videoconvert before this element, which then gets one of ",
         VIGIL_VIDEO_FORMATS);
  }
}

bool has_v_first(const GstVideoInfo &info) {
  return GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_NV21;
}

void check_frames(const GstVideoInfo &info) {
  if (GST_VIDEO_INFO_IS_INTERLACED(&info))
    fail(
        Error::Kind::bad_setting, "interlaced frames (interlace-mode=",
        gst_video_interlace_mode_to_string(GST_VIDEO_INFO_INTERLACE_MODE(&info)),
        ") are not supported, since two pictures of different times are in each; put the element deinterlace "
        "before this one");
  const int width = GST_VIDEO_INFO_WIDTH(&info), height = GST_VIDEO_INFO_HEIGHT(&info);
  if (width < 1 || height < 1 || width > largest_side || height > largest_side)
    fail(Error::Kind::bad_setting, "frames of ", width, "x", height,
         " pixels are not supported: a side has 1 to ", largest_side, "; put videoscale before this element");
}

namespace {

std::string words(const GstVideoInfo &info) {
  return text(GST_VIDEO_INFO_NAME(&info), " ", GST_VIDEO_INFO_WIDTH(&info), "x",
              GST_VIDEO_INFO_HEIGHT(&info));
}

// Why planes of a mapped frame lie beyond its memory; empty when they do not. GStreamer looks at each one's
// first byte only.
std::string fault_of(const GstVideoFrame &frame) {
  const GstVideoInfo &info = frame.info;
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&info); c++) {
    const auto plane = std::size_t(GST_VIDEO_INFO_COMP_PLANE(&info, c));
    const GstMapInfo &map = gst_buffer_get_video_meta(frame.buffer) ? frame.map[plane] : frame.map[0];
    const std::ptrdiff_t stride = GST_VIDEO_INFO_PLANE_STRIDE(&info, plane),
                         span = stride * (GST_VIDEO_INFO_COMP_HEIGHT(&info, c) - 1),
                         row = std::ptrdiff_t(GST_VIDEO_INFO_COMP_WIDTH(&info, c)) *
                               GST_VIDEO_INFO_COMP_PSTRIDE(&info, c),
                         first = static_cast<const guint8 *>(frame.data[plane]) - map.data;
    if (first + std::min(span, std::ptrdiff_t(0)) < 0 ||
        first + std::max(span, std::ptrdiff_t(0)) + row > std::ptrdiff_t(map.size))
      return text("plane ", plane, " begins at byte ", first, " of ", map.size, " and has ", stride,
                  " bytes from row to row");
  }
  return {};
}

constexpr const char *remedy = "; the element before must send caps and frames that agree";

} // namespace

void map_frame(GstVideoFrame &frame, const GstVideoInfo &caps, GstBuffer *buffer, GstMapFlags flags,
               bool texture) {
  if (const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
      meta &&
      (int(meta->width) != GST_VIDEO_INFO_WIDTH(&caps) || int(meta->height) != GST_VIDEO_INFO_HEIGHT(&caps) ||
       meta->format != GST_VIDEO_INFO_FORMAT(&caps)))
    fail(Error::Kind::bad_data, "a frame is ", gst_video_format_to_string(meta->format), " ", meta->width,
         "x", meta->height, " by its own metadata, but its caps say ", words(caps), remedy);
  if (!gst_video_frame_map(&frame, &caps, buffer, flags))
    fail(Error::Kind::bad_data, "a frame of ", gst_buffer_get_size(buffer),
         " bytes cannot be mapped as the caps describe it (", words(caps), ")");
  const std::string fault = texture ? std::string() : fault_of(frame);
  if (fault.empty()) return;
  gst_video_frame_unmap(&frame);
  fail(Error::Kind::bad_data, "a frame (", words(caps), ") goes beyond its memory: ", fault, remedy);
}

LumaWeights luma_weights(const GstVideoInfo &info) {
  LumaWeights w{0.299, 0.114}; // ITU-R BT.601, when the caps name no matrix
  gst_video_color_matrix_get_Kr_Kb(info.colorimetry.matrix, &w.kr, &w.kb);
  return w;
}

std::array<std::uint8_t, 3> colour_in(const GstVideoInfo &info, std::array<std::uint8_t, 3> rgb) {
  if (GST_VIDEO_INFO_IS_RGB(&info)) return rgb;
  const GstVideoColorimetry &colorimetry = info.colorimetry;
  const auto [kr, kb] = luma_weights(info);
  const double r = rgb[0] / 255., g = rgb[1] / 255., b = rgb[2] / 255.;
  const double y = kr * r + (1 - kr - kb) * g + kb * b;
  const double channel[3] = {y, (b - y) / (2 * (1 - kb)), (r - y) / (2 * (1 - kr))};
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gst_video_color_range_offsets(colorimetry.range, info.finfo, offset, scale);
  std::array<std::uint8_t, 3> out{};
  for (int i = 0; i < 3; i++) {
    const bool present = i < static_cast<int>(GST_VIDEO_INFO_N_COMPONENTS(&info));
    const double value = present ? offset[i] + channel[i] * scale[i] : 0;
    out[i] = static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
  }
  if (has_v_first(info)) std::swap(out[1], out[2]);
  return out;
}

Image image_of(const GstVideoFrame &frame) {
  Image image;
  image.format = pixel_format(frame.info);
  image.width = GST_VIDEO_FRAME_WIDTH(&frame);
  image.height = GST_VIDEO_FRAME_HEIGHT(&frame);
  for (int i = 0; i < plane_count(image.format); i++) {
    const int plane = plane_count(image.format) == 3 ? GST_VIDEO_INFO_COMP_PLANE(&frame.info, i) : i;
    image.data[i] = static_cast<std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane));
    image.stride[i] = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane);
  }
  return image;
}

GstClockTime frame_duration(const GstVideoInfo &info) {
  return info.fps_n > 0 ? gst_util_uint64_scale_int(GST_SECOND, info.fps_d, info.fps_n) : GST_SECOND / 30;
}

GstClockTime frame_duration(GstPad *pad) {
  GstVideoInfo info;
  gst_video_info_init(&info);
  if (GstCaps *caps = gst_pad_get_current_caps(pad)) {
    if (!gst_video_info_from_caps(&info, caps)) gst_video_info_init(&info);
    gst_caps_unref(caps);
  }
  return frame_duration(info);
}

GstBufferPool *configured(GstBufferPool *pool, GstCaps *caps, const GstVideoInfo &info, guint min_buffers,
                          std::initializer_list<const char *> options, guint &size) {
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, static_cast<guint>(GST_VIDEO_INFO_SIZE(&info)), min_buffers,
                                    0);
  for (const char *option : options) gst_buffer_pool_config_add_option(config, option);
  if (!gst_buffer_pool_set_config(pool, config)) {
    gst_object_unref(pool);
    return nullptr;
  }
  config = gst_buffer_pool_get_config(pool); // the pool has put its own size there
  gst_buffer_pool_config_get_params(config, nullptr, &size, nullptr, nullptr);
  gst_structure_free(config);
  return pool;
}

GstBufferPool *new_video_pool(GstCaps *caps, bool video_meta, guint min_buffers, guint &size) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return nullptr;
  GstBufferPool *pool = gst_video_buffer_pool_new();
  return video_meta ? configured(pool, caps, info, min_buffers, {GST_BUFFER_POOL_OPTION_VIDEO_META}, size)
                    : configured(pool, caps, info, min_buffers, {}, size);
}

bool describes_a_place(const GstMeta *meta) {
  static const gchar *const kept[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_ORIENTATION_STR,
                                      GST_META_TAG_VIDEO_SIZE_STR, nullptr};
  const gchar *const *tags = gst_meta_api_type_get_tags(meta->info->api);
  while (tags && *tags && g_strv_contains(kept, *tags)) tags++;
  return tags && !*tags;
}

} // namespace vigil::gst
