// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/base/frames.h"

#include "common/error.h"
#include "gst/base/cuda.h"
#include "gst/base/video.h"

#include <cstring>

namespace vigil::gst {
namespace {

constexpr std::ptrdiff_t stride_step = 64; // bytes; rows of copies start aligned for vector loads

GstMapFlags operator|(GstMapFlags a, GstMapFlags b) {
  return static_cast<GstMapFlags>(int(a) | int(b));
}

} // namespace

FrameSlot::FrameSlot(Device &device, const FrameKind &kind)
    : device_(device), kind_(kind), copied_(device.backend() != Backend::cpu && !kind.cuda_memory) {
  layout_.format = pixel_format(kind.info);
  layout_.width = GST_VIDEO_INFO_WIDTH(&kind.info);
  layout_.height = GST_VIDEO_INFO_HEIGHT(&kind.info);
  event_ = device.make_event();
  if (!copied_) return;
  for (int i = 0; i < plane_count(layout_.format); i++) {
    const std::ptrdiff_t used = row_bytes(layout_.format, i, layout_.width);
    layout_.stride[i] = (used + stride_step - 1) / stride_step * stride_step;
    bytes_ += static_cast<std::size_t>(layout_.stride[i]) * plane_rows(i, layout_.height);
  }
  staging_ = HostBuffer(device, bytes_);
  memory_ = DeviceBuffer(device, bytes_);
}

Image FrameSlot::staged(void *memory) const {
  Image image = layout_;
  auto *at = static_cast<std::uint8_t *>(memory);
  for (int i = 0; i < plane_count(image.format); i++) {
    image.data[i] = at;
    at += image.stride[i] * plane_rows(i, image.height);
  }
  return image;
}

void FrameSlot::map(GstBuffer *buffer, GstMapFlags flags) {
  if (kind_.cuda_memory && !is_cuda_memory(buffer))
    fail(Error::Kind::bad_data, "the caps promise CUDA memory, but this frame is not in CUDA memory");
  if (!gst_video_frame_map(&frame_, &kind_.info, buffer, kind_.cuda_memory ? flags | cuda_map_flag() : flags))
    fail(Error::Kind::bad_data, "a frame of ", gst_buffer_get_size(buffer),
         " bytes cannot be mapped as the caps describe it (", GST_VIDEO_INFO_NAME(&kind_.info), " ",
         GST_VIDEO_INFO_WIDTH(&kind_.info), "x", GST_VIDEO_INFO_HEIGHT(&kind_.info), ")");
  mapped_ = true;
}

void FrameSlot::copy_planes(bool to_staging) {
  const Image outside = image_of(frame_), inside = staged(staging_.as<void>());
  for (int i = 0; i < plane_count(inside.format); i++) {
    const auto bytes = static_cast<std::size_t>(row_bytes(inside.format, i, inside.width));
    for (int y = 0; y < plane_rows(i, inside.height); y++) {
      std::uint8_t *in = inside.data[i] + y * inside.stride[i],
                   *out = outside.data[i] + y * outside.stride[i];
      std::memcpy(to_staging ? in : out, to_staging ? out : in, bytes);
    }
  }
}

ConstImage FrameSlot::open_for_reading(GstBuffer *buffer, Queue &queue, ByteCounts &counts) {
  map(buffer, GST_MAP_READ);
  if (!copied_) {
    if (kind_.cuda_memory) after_work_with(buffer, device_, queue, *event_);
    return image_of(frame_);
  }
  copy_planes(true);
  gst_video_frame_unmap(&frame_);
  mapped_ = false;
  device_.upload(memory_.as(), staging_.as<void>(), bytes_, queue);
  counts.to_device += bytes_;
  return staged(memory_.as());
}

Image FrameSlot::open_for_writing(GstBuffer *buffer, Queue &queue) {
  map(buffer, GST_MAP_WRITE);
  sent_ = false;
  if (copied_) return staged(memory_.as());
  if (kind_.cuda_memory) after_work_with(buffer, device_, queue, *event_);
  return image_of(frame_);
}

void FrameSlot::send(Queue &queue, ByteCounts &counts) {
  if (!copied_) return;
  device_.download(staging_.as<void>(), memory_.as(), bytes_, queue);
  counts.to_host += bytes_;
  sent_ = true;
}

void FrameSlot::close() {
  if (mapped_) {
    if (sent_) copy_planes(false);
    gst_video_frame_unmap(&frame_);
  }
  mapped_ = sent_ = false;
}

} // namespace vigil::gst
