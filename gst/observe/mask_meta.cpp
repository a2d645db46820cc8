// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/observe/mask_meta.h"

#include "common/error.h"
#include "gst/compat.h"
#include "gst/frames/formats.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace vigil::gst {

bool MaskCopies::possible() {
  return has_segmentation_meta;
}

MaskCopies::MaskCopies(Device &device, int width, int height)
    : device_(device), width_(width), height_(height) {}

MaskCopies::~MaskCopies() {
  if (pool_) gst_buffer_pool_set_active(pool_.get(), FALSE);
}

BufferPtr MaskCopies::copy_of(Plane<const std::uint8_t> mask) {
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
  const Plane<std::uint8_t> to = image_of(frame).plane(0);
  for (int y = 0; y < height_; y++) std::copy_n(mask.row(y), width_, to.row(y));
  gst_video_frame_unmap(&frame);
  return copy;
}

void MaskCopies::fetch(Plane<const std::uint8_t> mask, Frame &f, Queue &queue) {
  f.copy_.reset();
  f.fetched_ = false;
  if (!possible()) return;
  if (device_.backend() == Backend::cpu) { // whose work is done by now
    f.copy_ = copy_of(mask);
    return;
  }
  if (!f.host_.as<void>()) f.host_ = HostBuffer(device_, bytes());
  device_.download(f.host_.as<void>(), width_, mask.data, mask.stride, static_cast<std::size_t>(width_),
                   height_, queue);
  f.fetched_ = true;
}

std::uint64_t MaskCopies::take(Frame &f) {
  if (!std::exchange(f.fetched_, false)) return 0;
  f.copy_ = copy_of({f.host_.as<const std::uint8_t>(), width_, height_, width_});
  return bytes();
}

void MaskCopies::attach(GstBuffer *buffer, Frame &f, int shadow_value) {
  if (!f.copy_) return;
  const GstVideoMeta *mask = gst_buffer_get_video_meta(f.copy_.get());
  add_segmentation_meta(buffer, f.copy_.release(), mask->width, mask->height, shadow_value);
}

} // namespace vigil::gst
