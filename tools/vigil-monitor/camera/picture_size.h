// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "reduction.h"

#include <atomic>
#include <gst/video/video.h>
#include <optional>

namespace vigil::monitor {

// Of the pictures that come through a pad: set on its streaming thread, read on any.
class PictureSize {
 public:
  void set(const GstVideoInfo &video) {
    width_ = video.width;
    shown_width_ = width_shown(video);
    height_ = video.height;
  }
  int width() const { return width_; }
  int height() const { return height_; }
  int shown_width() const { return shown_width_; } // in square pixels

 private:
  std::atomic<int> width_ = 0, height_ = 0, shown_width_ = 0;
};

// Of a CAPS event; none of another one, or of caps that are no video.
inline std::optional<GstVideoInfo> video_of(GstPadProbeInfo *info) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return std::nullopt;
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  GstVideoInfo video;
  return gst_video_info_from_caps(&video, caps) ? std::optional(video) : std::nullopt;
}

} // namespace vigil::monitor
