// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/mask_meta.h"

#include "common/error.h"
#include "common/packed_mask.h"
#include "gst/compat.h"
#include "gst/video/formats.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace vigil::gst {

MaskCopies::MaskCopies(Device &device, int width, int height)
    : device_(device), width_(width), height_(height) {}

MaskCopies::~MaskCopies() {
  if (pool_) gst_buffer_pool_set_active(pool_.get(), FALSE);
}

std::size_t MaskCopies::label_bytes() const {
  return static_cast<std::size_t>(words_of(width_)) * static_cast<std::size_t>(height_) *
         sizeof(std::uint32_t);
}

// A buffer of the pool whose pixels fill(Plane<std::uint8_t>) has written.
template <class Fill>
BufferPtr MaskCopies::picture(const Fill &fill) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, static_cast<guint>(width_),
                            static_cast<guint>(height_));
  if (!pool_) {
    GstCaps *caps = gst_video_info_to_caps(&info);
    guint size = 0;
    pool_.reset(new_video_pool(caps, true, 0, size));
    gst_caps_unref(caps);
    if (pool_) gst_buffer_pool_set_active(pool_.get(), TRUE);
  }
  GstBuffer *buffer = nullptr;
  if (!pool_ || gst_buffer_pool_acquire_buffer(pool_.get(), &buffer, nullptr) != GST_FLOW_OK)
    fail(Error::Kind::no_memory, "there is no memory for a mask of ", width_, "x", height_,
         " pixels; attach-mask=false goes without");
  BufferPtr copy(buffer);
  GstVideoFrame frame;
  map_frame(frame, info, buffer, GST_MAP_WRITE);
  fill(image_of(frame).plane(0));
  gst_video_frame_unmap(&frame);
  return copy;
}

namespace {
auto copy_of(Plane<const std::uint8_t> mask) {
  return [mask](Plane<std::uint8_t> to) {
    for (int y = 0; y < mask.height; y++) std::copy_n(mask.row(y), mask.width, to.row(y));
  };
}
} // namespace

void MaskCopies::fetch(Plane<const std::uint8_t> mask, Frame &f, Queue &queue) {
  f.copy_.reset();
  f.holds_ = Frame::Holds::nothing;
  if (device_.backend() == Backend::cpu) { // whose work is done by now
    f.copy_ = picture(copy_of(mask));
    return;
  }
  if (!f.host_.as<void>()) f.host_ = HostBuffer(device_, bytes());
  device_.download(f.host_.as<void>(), width_, mask.data, mask.stride, static_cast<std::size_t>(width_),
                   height_, queue);
  f.holds_ = Frame::Holds::bytes;
}

std::uint32_t *MaskCopies::labels(Frame &f) {
  f.copy_.reset();
  if (!f.host_.as<void>()) f.host_ = HostBuffer(device_, label_bytes());
  f.holds_ = Frame::Holds::labels;
  return f.host_.as<std::uint32_t>();
}

std::uint64_t MaskCopies::take(Frame &f) {
  switch (std::exchange(f.holds_, Frame::Holds::nothing)) {
  case Frame::Holds::bytes:
    f.copy_ = picture(copy_of({f.host_.as<const std::uint8_t>(), width_, height_, width_}));
    return bytes();
  case Frame::Holds::labels: {
    const std::span labels(f.host_.as<const std::uint32_t>(), label_bytes() / sizeof(std::uint32_t));
    f.copy_ = picture([labels](Plane<std::uint8_t> to) { unpack_mask(labels, to); });
    return device_.backend() == Backend::cpu ? 0 : label_bytes();
  }
  default:
    return 0;
  }
}

void MaskCopies::attach(GstBuffer *buffer, Frame &f, int shadow_value) {
  if (!f.copy_) return;
  const GstVideoMeta *mask = gst_buffer_get_video_meta(f.copy_.get());
  add_segmentation_meta(buffer, f.copy_.release(), mask->width, mask->height, shadow_value);
}

AttachedMask::AttachedMask(GstBuffer *frame) : buffer_(segmentation_mask_of(frame)) {
  const GstVideoMeta *mask = buffer_ ? gst_buffer_get_video_meta(buffer_.get()) : nullptr;
  if (!mask || mask->format != GST_VIDEO_FORMAT_GRAY8) return;
  GstVideoInfo info;
  there_ = gst_video_info_set_format(&info, mask->format, mask->width, mask->height) &&
           gst_video_frame_map(&mapped_, &info, buffer_.get(), GST_MAP_READ);
}

AttachedMask::~AttachedMask() {
  if (there_) gst_video_frame_unmap(&mapped_);
}

Plane<const std::uint8_t> AttachedMask::of_size(int width, int height) const {
  if (!there_ || GST_VIDEO_FRAME_WIDTH(&mapped_) != width || GST_VIDEO_FRAME_HEIGHT(&mapped_) != height)
    return {};
  return image_of(mapped_).plane(0);
}

} // namespace vigil::gst
