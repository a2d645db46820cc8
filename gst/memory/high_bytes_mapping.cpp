// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/memory/high_bytes_mapping.h"

#include "common/error.h"
#include "common/on_device_thread.h"
#include "kernels/convert/high_bytes.h"

#include <utility>

namespace vigil::gst {
namespace {

class HighBytesMapping final : public FrameMapping {
 public:
  HighBytesMapping(Device &device, const FrameKind &kind, std::unique_ptr<FrameMapping> frames)
      : device_(device), frames_(std::move(frames)), layout_(eight_bit_info(kind.info)),
        memory_(device, layout_.bytes()) {
    on_device_thread(device_, [&] { kernel_ = convert::make_high_bytes(device_); });
  }

  ConstImage map_read(GstBuffer *buffer, Queue &queue, ByteCounts &counts) override {
    const ConstImage fine = frames_->map_read(buffer, queue, counts);
    const Image image = layout_.at(memory_.as());
    on_device_thread(device_, [&] { kernel_->apply(fine, image, queue); });
    return image;
  }
  Image map_update(GstBuffer *, GstBuffer *, Queue &, ByteCounts &) override { fail_to_write(); }
  Image map_write(GstBuffer *, Queue &) override { fail_to_write(); }
  void write_back(Queue &, ByteCounts &) override {}
  void write_back(Queue &, ByteCounts &, const Area &) override {}
  bool holds_buffer() const override { return frames_->holds_buffer(); }
  void close() noexcept override { frames_->close(); }

 private:
  [[noreturn]] static void fail_to_write() {
    fail(Error::Kind::bad_setting, "pictures of 10 bits are only read");
  }

  Device &device_;
  std::unique_ptr<FrameMapping> frames_;
  CopyLayout layout_;
  DeviceBuffer memory_;
  std::unique_ptr<convert::HighBytes> kernel_;
};

} // namespace

bool needs_high_bytes(const FrameKind &kind) {
  return GST_VIDEO_INFO_FORMAT(&kind.info) == GST_VIDEO_FORMAT_P010_10LE;
}

GstVideoInfo eight_bit_info(const GstVideoInfo &info) {
  if (GST_VIDEO_INFO_FORMAT(&info) != GST_VIDEO_FORMAT_P010_10LE) return info;
  GstVideoInfo other;
  gst_video_info_set_format(&other, GST_VIDEO_FORMAT_NV12, guint(GST_VIDEO_INFO_WIDTH(&info)),
                            guint(GST_VIDEO_INFO_HEIGHT(&info)));
  other.colorimetry = info.colorimetry;
  other.chroma_site = info.chroma_site;
  other.fps_n = info.fps_n;
  other.fps_d = info.fps_d;
  return other;
}

std::unique_ptr<FrameMapping> make_high_bytes_mapping(Device &device, const FrameKind &kind,
                                                      std::unique_ptr<FrameMapping> frames) {
  return std::make_unique<HighBytesMapping>(device, kind, std::move(frames));
}

} // namespace vigil::gst
