// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/luma_mapping.h"

#include "common/error.h"
#include "gst/video/formats.h"

#include <cstring>

namespace vigil::gst {
namespace {

constexpr std::ptrdiff_t row_step = 64; // bytes

// Where the first component of a row lies: luma, or red.
struct Samples {
  int step;  // bytes from one pixel to the next
  int shift; // to the right, of samples of 16 bits; below 0: samples have 8
};
Samples samples_of(const GstVideoInfo &info) {
  const int depth = int(GST_VIDEO_INFO_COMP_DEPTH(&info, 0));
  const int shift = int(GST_VIDEO_FORMAT_INFO_SHIFT(info.finfo, 0));
  return {GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0), depth > 8 ? shift + depth - 8 : -1};
}

void copy_luma(const std::uint8_t *from, const Samples &samples, std::uint8_t *to, int width) {
  if (samples.shift < 0)
    for (int x = 0; x < width; x++) to[x] = from[x * samples.step];
  else
    for (int x = 0; x < width; x++) {
      const std::uint8_t *sample = from + x * samples.step; // low byte first
      to[x] = std::uint8_t((sample[0] | sample[1] << 8) >> samples.shift);
    }
}

// `from` begins with the pixel's first byte; red is byte `red` of three.
void copy_colour(const std::uint8_t *from, int red, std::uint8_t *to, int width) {
  for (int x = 0; x < width; x++, from += 3, to += 4) {
    to[0] = from[red];
    to[1] = from[1];
    to[2] = from[2 - red];
    to[3] = 255;
  }
}

class LumaMapping final : public FrameMapping {
 public:
  LumaMapping(Device &device, const FrameKind &kind)
      : device_(device), info_(kind.info), samples_(samples_of(kind.info)),
        in_place_(device.backend() == Backend::cpu && !GST_VIDEO_INFO_IS_RGB(&kind.info) &&
                  samples_.step == 1) {
    const bool colour = GST_VIDEO_INFO_IS_RGB(&info_);
    picture_.format = colour ? PixelFormat::rgba : PixelFormat::gray8;
    picture_.width = GST_VIDEO_INFO_WIDTH(&info_);
    picture_.height = GST_VIDEO_INFO_HEIGHT(&info_);
    if (in_place_) return;
    const std::ptrdiff_t used = row_bytes(picture_.format, 0, picture_.width);
    picture_.stride[0] = (used + row_step - 1) / row_step * row_step;
    bytes_ = std::size_t(picture_.stride[0]) * std::size_t(picture_.height);
    host_ = HostBuffer(device, bytes_);
    if (device.backend() != Backend::cpu) memory_ = DeviceBuffer(device, bytes_);
  }
  LumaMapping(const LumaMapping &) = delete;
  LumaMapping &operator=(const LumaMapping &) = delete;
  ~LumaMapping() override { close(); }

  ConstImage map_read(GstBuffer *buffer, Queue &queue, ByteCounts &counts) override {
    map_frame(frame_, info_, buffer, GST_MAP_READ);
    mapped_ = true;
    const auto *first = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_COMP_DATA(&frame_, 0));
    const std::ptrdiff_t stride = GST_VIDEO_FRAME_COMP_STRIDE(&frame_, 0);
    ConstImage picture = picture_;
    if (in_place_) {
      picture.data[0] = first;
      picture.stride[0] = stride;
      return picture;
    }
    copy(first, stride);
    close();
    picture.data[0] = host_.as<const std::uint8_t>();
    if (device_.backend() == Backend::cpu) return picture;
    device_.upload(memory_.as(), host_.as<void>(), bytes_, queue);
    counts.to_device += bytes_;
    picture.data[0] = memory_.as<const std::uint8_t>();
    return picture;
  }
  Image map_update(GstBuffer *, GstBuffer *, Queue &, ByteCounts &) override { fail_to_write(); }
  Image map_write(GstBuffer *, Queue &) override { fail_to_write(); }
  void write_back(Queue &, ByteCounts &) override {}
  void write_back(Queue &, ByteCounts &, const Area &) override {}
  bool holds_buffer() const override { return mapped_; }
  void close() noexcept override {
    if (mapped_) gst_video_frame_unmap(&frame_);
    mapped_ = false;
  }

 private:
  [[noreturn]] void fail_to_write() const {
    fail(Error::Kind::bad_setting, "pictures in ", GST_VIDEO_INFO_NAME(&info_), " are only read");
  }
  void copy(const std::uint8_t *first, std::ptrdiff_t stride) const {
    const int red = GST_VIDEO_INFO_COMP_POFFSET(&info_, 0);
    for (int y = 0; y < picture_.height; y++) {
      std::uint8_t *to = host_.as<std::uint8_t>() + y * picture_.stride[0];
      const std::uint8_t *from = first + y * stride;
      if (picture_.format == PixelFormat::rgba)
        copy_colour(from - red, red, to, picture_.width);
      else
        copy_luma(from, samples_, to, picture_.width);
    }
  }

  Device &device_;
  GstVideoInfo info_;
  Samples samples_;
  bool in_place_;
  Image picture_; // its address is null
  std::size_t bytes_ = 0;
  HostBuffer host_;
  DeviceBuffer memory_;
  GstVideoFrame frame_{};
  bool mapped_ = false;
};

} // namespace

bool needs_luma_mapping(const FrameKind &kind) {
  if (kind.cuda_memory || kind.gl_memory) return false;
  static GstCaps *const formats = [] {
    GstCaps *caps = gst_caps_from_string("video/x-raw, format=" VIGIL_LUMA_FORMATS);
    GST_MINI_OBJECT_FLAG_SET(caps, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED); // it stays until the process ends
    return caps;
  }();
  const GValue *names = gst_structure_get_value(gst_caps_get_structure(formats, 0), "format");
  for (guint i = 0; i < gst_value_list_get_size(names); i++)
    if (!std::strcmp(g_value_get_string(gst_value_list_get_value(names, i)), GST_VIDEO_INFO_NAME(&kind.info)))
      return true;
  return false;
}

std::unique_ptr<FrameMapping> make_luma_mapping(Device &device, const FrameKind &kind) {
  return std::make_unique<LumaMapping>(device, kind);
}

} // namespace vigil::gst
