// SPDX-License-Identifier: LGPL-2.1-or-later
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

void Tint::put(GstBuffer *buffer, GstCaps *caps, std::vector<Rect> boxes) {
  FoundMask m;
  m.pts = GST_BUFFER_PTS(buffer);
  GstVideoInfo info;
  GstVideoFrame frame;
  if (caps && gst_video_info_from_caps(&info, caps) &&
      GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_GRAY8 &&
      gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) {
    m.width = info.width;
    m.height = info.height;
    m.boxes = std::move(boxes);
    m.pixels.reserve(std::size_t(m.width) * std::size_t(m.height));
    const auto *row = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
    for (int y = 0; y < m.height; y++, row += GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0))
      m.pixels.insert(m.pixels.end(), row, row + m.width);
    gst_video_frame_unmap(&frame);
  }
  const std::lock_guard guard(lock_);
  constexpr std::size_t waiting = 4; // pictures of which the tiles' thread has one and their queue two
  if (masks_.size() == waiting) masks_.pop_front();
  masks_.push_back(std::move(m));
  changed_.notify_all();
}

// Whether the mask came. Those of earlier frames, whose pictures were left out, go.
bool Tint::take(GstClockTime pts, FoundMask &out) {
  std::unique_lock guard(lock_);
  const auto at = [&] {
    return std::find_if(masks_.begin(), masks_.end(), [&](const FoundMask &m) { return m.pts == pts; });
  };
  constexpr auto patience = std::chrono::milliseconds(500);
  changed_.wait_for(guard, patience, [&] { return closed_ || at() != masks_.end(); });
  const auto found = at();
  if (closed_ || found == masks_.end()) return false;
  out = std::move(*found);
  masks_.erase(masks_.begin(), found + 1);
  return out.width > 0;
}

bool Tint::draw(GstBuffer *picture, GstCaps *caps) {
  GstVideoInfo info;
  FoundMask mask;
  if (!caps || !gst_video_info_from_caps(&info, caps) || !take(GST_BUFFER_PTS(picture), mask)) return false;
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, picture, GST_MAP_READWRITE)) return false;
  const auto w = static_cast<guint>(info.width), h = static_cast<guint>(info.height);
  GstBuffer *pixels = gst_buffer_new_allocate(nullptr, std::size_t(w) * h * sizeof(Pixel), nullptr);
  GstMapInfo map;
  const bool mapped = pixels && gst_buffer_map(pixels, &map, GST_MAP_WRITE);
  bool drawn = false;
  if (mapped) {
    paint(mask, reinterpret_cast<Pixel *>(map.data), info.width, info.height);
    gst_buffer_unmap(pixels, &map);
    gst_buffer_add_video_meta(pixels, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, w,
                              h);
    GstVideoOverlayRectangle *whole =
        gst_video_overlay_rectangle_new_raw(pixels, 0, 0, w, h, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
    GstVideoOverlayComposition *all = gst_video_overlay_composition_new(whole);
    drawn = gst_video_overlay_composition_blend(all, &frame);
    gst_video_overlay_composition_unref(all);
    gst_video_overlay_rectangle_unref(whole);
  }
  if (pixels) gst_buffer_unref(pixels);
  gst_video_frame_unmap(&frame);
  return drawn;
}

void Tint::close() {
  const std::lock_guard guard(lock_);
  closed_ = true;
  changed_.notify_all();
}

} // namespace vigil::monitor
