// SPDX-License-Identifier: LGPL-2.1-or-later
// The bytes of buffers and the pictures of frames, mapped as long as these are there. The buffer must outlive
// them.
#pragma once

#include <cstddef>
#include <gst/video/video.h>
#include <string_view>
#include <utility>

namespace vigil::tools {

class MappedBuffer {
 public:
  // False afterwards: there is no buffer, or it cannot be mapped.
  explicit MappedBuffer(GstBuffer *buffer, GstMapFlags flags = GST_MAP_READ)
      : buffer_(buffer && gst_buffer_map(buffer, &map_, flags) ? buffer : nullptr) {}
  MappedBuffer(MappedBuffer &&o) noexcept : map_(o.map_), buffer_(std::exchange(o.buffer_, nullptr)) {}
  MappedBuffer(const MappedBuffer &) = delete;
  MappedBuffer &operator=(const MappedBuffer &) = delete;
  ~MappedBuffer() {
    if (buffer_) gst_buffer_unmap(buffer_, &map_);
  }

  explicit operator bool() const { return buffer_; }
  guint8 *data() const { return buffer_ ? map_.data : nullptr; }
  std::size_t size() const { return buffer_ ? map_.size : 0; }
  std::string_view bytes() const { return {reinterpret_cast<const char *>(data()), size()}; }

 private:
  GstMapInfo map_{};
  GstBuffer *buffer_;
};

class MappedFrame {
 public:
  // False afterwards: it cannot be mapped.
  MappedFrame(GstBuffer *buffer, const GstVideoInfo &info, GstMapFlags flags)
      : good_(gst_video_frame_map(&frame_, &info, buffer, flags)) {}
  // `map` maps the frame that it is given, or throws.
  template <class Map>
  explicit MappedFrame(Map &&map) : good_((map(frame_), true)) {}
  MappedFrame(const MappedFrame &) = delete;
  MappedFrame &operator=(const MappedFrame &) = delete;
  ~MappedFrame() {
    if (good_) gst_video_frame_unmap(&frame_);
  }

  explicit operator bool() const { return good_; }
  const GstVideoFrame &get() const { return frame_; }
  GstVideoFrame &get() { return frame_; }

 private:
  GstVideoFrame frame_{};
  const bool good_;
};

} // namespace vigil::tools
