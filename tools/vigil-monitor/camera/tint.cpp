// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
// GStreamer 1.22 declares gst_video_blend() without it. In a unity build no file before this one may include
// the header otherwise.
extern "C" {
#include <gst/video/video.h>
}

#include "tint.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace vigil::monitor {
namespace {

struct Pixel { // GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB; a host's own order is that of its bytes
  std::uint8_t c[4];
};

constexpr Pixel pixel(int r, int g, int b, int a) {
  const auto byte = [](int v) { return static_cast<std::uint8_t>(v); };
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  return {{byte(b), byte(g), byte(r), byte(a)}};
#else
  return {{byte(a), byte(r), byte(g), byte(b)}};
#endif
}
constexpr Pixel nothing = pixel(0, 0, 0, 0), foreground = pixel(255, 48, 32, 144),
                shadow = pixel(32, 96, 255, 112), box_line = pixel(48, 255, 64, 255);

// A picture as large as the tile: each pixel of the mask covers as many of the tile as it stands for.
void paint(const FoundMask &m, Pixel *out, int width, int height) {
  for (int y = 0; y < height; y++) {
    const std::uint8_t *row = m.pixels.data() + std::size_t(y * m.height / height) * std::size_t(m.width);
    Pixel *to = out + std::size_t(y) * std::size_t(width);
    for (int x = 0; x < width; x++) {
      const std::uint8_t v = row[x * m.width / width];
      to[x] = v == 255 ? foreground : v ? shadow : nothing;
    }
  }
  // In pairs of pixels: most pictures have one colour for two of them.
  const int line = 2 * std::max(1, height / 720);
  const auto even = [](double v) { return 2 * static_cast<int>(std::lround(v / 2)); };
  const auto fill = [&](int left, int top, int right, int bottom) {
    for (int y = std::max(0, top); y < std::min(height, bottom); y++)
      for (int x = std::max(0, left); x < std::min(width, right); x++)
        out[std::size_t(y) * std::size_t(width) + std::size_t(x)] = box_line;
  };
  for (const Rect &b : m.boxes) {
    const int left = even(b.x * width), top = even(b.y * height), right = even((b.x + b.width) * width),
              bottom = even((b.y + b.height) * height);
    fill(left, top, right, top + line);
    fill(left, bottom - line, right, bottom);
    fill(left, top, left + line, bottom);
    fill(right - line, top, right, bottom);
  }
}

} // namespace

Tint::~Tint() {
  gst_clear_buffer(&colours_);
}

void Tint::mask_caps(const GstVideoInfo &info) {
  mask_info_ = info;
}

void Tint::put(GstBuffer *buffer, GstClockTime running, std::vector<Rect> boxes) {
  constexpr std::size_t most = 4; // pictures of which the tiles' thread has one and their queue two
  Masks mine;
  {
    const std::lock_guard guard(lock_);
    Masks &from = waiting_.size() < most ? free_ : waiting_;
    if (!from.empty()) mine.splice(mine.begin(), from, from.begin());
  }
  if (mine.empty()) mine.emplace_back();
  FoundMask &m = mine.front();
  m.running = running;
  m.width = m.height = 0;
  m.boxes = std::move(boxes);
  GstVideoFrame frame;
  if (GST_VIDEO_INFO_FORMAT(&mask_info_) == GST_VIDEO_FORMAT_GRAY8 &&
      gst_video_frame_map(&frame, &mask_info_, buffer, GST_MAP_READ)) {
    m.width = mask_info_.width;
    m.height = mask_info_.height;
    m.pixels.resize(std::size_t(m.width) * std::size_t(m.height));
    const auto *row = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
    for (auto to = m.pixels.begin(); to != m.pixels.end(); row += GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0))
      to = std::copy_n(row, m.width, to);
    gst_video_frame_unmap(&frame);
  }
  const std::lock_guard guard(lock_);
  waiting_.splice(waiting_.end(), mine);
  changed_.notify_all();
}

// The frame's mask, or nothing. Those of earlier frames, whose pictures were left out, go.
Tint::Masks Tint::take(GstClockTime running) {
  Masks taken;
  std::unique_lock guard(lock_);
  const auto at = [&] {
    return std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const FoundMask &m) { return m.running == running; });
  };
  constexpr auto patience = std::chrono::milliseconds(500);
  changed_.wait_for(guard, patience, [&] { return closed_ || at() != waiting_.end(); });
  const auto found = at();
  if (closed_ || found == waiting_.end()) return taken;
  free_.splice(free_.end(), waiting_, waiting_.begin(), found);
  taken.splice(taken.end(), waiting_, found);
  return taken;
}

void Tint::picture_caps(const GstVideoInfo &info) {
  picture_info_ = info;
  gst_clear_buffer(&colours_);
  gst_video_info_set_format(&colours_info_, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB,
                            static_cast<guint>(info.width), static_cast<guint>(info.height));
  colours_ = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&colours_info_), nullptr);
}

bool Tint::draw(GstBuffer *picture, GstClockTime running) {
  if (!colours_) return false;
  Masks mask = take(running);
  if (mask.empty()) return false;
  bool drawn = false;
  GstVideoFrame frame, colours;
  if (mask.front().width > 0 && gst_video_frame_map(&frame, &picture_info_, picture, GST_MAP_READWRITE)) {
    if (gst_video_frame_map(&colours, &colours_info_, colours_, GST_MAP_READWRITE)) {
      paint(mask.front(), static_cast<Pixel *>(GST_VIDEO_FRAME_PLANE_DATA(&colours, 0)),
            GST_VIDEO_FRAME_WIDTH(&colours), GST_VIDEO_FRAME_HEIGHT(&colours));
      constexpr float whole = 1; // each colour has an opacity of its own
      drawn = gst_video_blend(&frame, &colours, 0, 0, whole);
      gst_video_frame_unmap(&colours);
    }
    gst_video_frame_unmap(&frame);
  }
  const std::lock_guard guard(lock_);
  free_.splice(free_.end(), mask);
  return drawn;
}

void Tint::close() {
  const std::lock_guard guard(lock_);
  closed_ = true;
  changed_.notify_all();
}

} // namespace vigil::monitor
