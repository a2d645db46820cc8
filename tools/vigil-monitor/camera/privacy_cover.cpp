// SPDX-License-Identifier: LGPL-2.1-or-later
#include "privacy_cover.h"

#include "common/error.h"
#include "common/guarded.h"
#include "kernels/rules/polygon_mask.h"
#include "utc.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr int whole_chroma = 4; // pixels: a part of a picture of this size has whole pixels of all components

// Pixels along the side of a cell. Pixelated ones are so large that a face far away is one of them.
int cell_size(PrivacyConfig::Fill fill, int height) {
  constexpr int black_rows = 540, pixelated_rows = 24;
  const int wanted = height / (fill == PrivacyConfig::Fill::black ? black_rows : pixelated_rows);
  return std::max(fill == PrivacyConfig::Fill::black ? 1 : 2, wanted / whole_chroma) * whole_chroma;
}

// Each pixel that a polygon touches, also one that is so thin that no centre of a pixel lies in it.
std::vector<std::uint8_t> touched(const std::vector<std::vector<Point>> &polygons, int width, int height) {
  auto pixels = rules::polygon_mask(polygons, width, height);
  for (const auto &polygon : polygons)
    for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
      const Point a = polygon[j], b = polygon[i];
      const double length = std::max(std::abs(b.x - a.x) * width, std::abs(b.y - a.y) * height);
      const int steps = std::max(1, static_cast<int>(std::ceil(2 * length)));
      for (int s = 0; s <= steps; s++) {
        const double x = a.x + (b.x - a.x) * s / steps, y = a.y + (b.y - a.y) * s / steps;
        const int column = std::clamp(static_cast<int>(x * width), 0, width - 1),
                  row = std::clamp(static_cast<int>(y * height), 0, height - 1);
        pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(column)] = 0;
      }
    }
  return pixels;
}

// What black is in a component; -1: it stays as it is.
int black_of(const GstVideoInfo &info, int component) {
  constexpr int no_colour = 128, darkest = 16, alpha = 3;
  if (component == alpha) return -1;
  if (GST_VIDEO_INFO_IS_RGB(&info)) return 0;
  if (component > 0) return no_colour;
  return info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255 ? 0 : darkest;
}

// A component of the picture: bytes that stand `step` apart.
struct Bytes2D {
  Bytes2D(GstVideoFrame &f, int component)
      : data(static_cast<std::uint8_t *>(GST_VIDEO_FRAME_COMP_DATA(&f, component))),
        stride(GST_VIDEO_FRAME_COMP_STRIDE(&f, component)), step(GST_VIDEO_FRAME_COMP_PSTRIDE(&f, component)),
        width(GST_VIDEO_FRAME_COMP_WIDTH(&f, component)), height(GST_VIDEO_FRAME_COMP_HEIGHT(&f, component)) {
  }
  std::uint8_t *at(int x, int y) const {
    return data + static_cast<std::ptrdiff_t>(y) * stride + static_cast<std::ptrdiff_t>(x) * step;
  }
  void fill(int from, int to, int y, int value) const {
    if (step == 1) {
      std::memset(at(from, y), value, static_cast<std::size_t>(to - from));
    } else {
      for (int x = from; x < to; x++) *at(x, y) = static_cast<std::uint8_t>(value);
    }
  }
  std::uint8_t *data;
  int stride, step, width, height;
};

} // namespace

struct PrivacyCover::Callbacks {
  struct Watch {
    PrivacyCover cover;
    GstElement *pipeline;
    Moving moving;
    double passed = 0; // by the monotonic clock: when the last picture did
  };

  static GstPadProbeReturn come(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    Watch &w = *static_cast<Watch *>(user);
    try {
      return take(w, pad, info);
    } catch (const std::exception &e) {
      GST_ELEMENT_ERROR(w.pipeline, STREAM, FORMAT,
                        ("privacy: the picture cannot be covered, so it is not shown: %s", e.what()),
                        (nullptr));
      return GST_PAD_PROBE_DROP;
    }
  }

  static GstPadProbeReturn take(Watch &w, GstPad *pad, GstPadProbeInfo *info) {
    PrivacyCover &cover = w.cover;
    if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
      GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
      if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
      GstCaps *caps = nullptr;
      gst_event_parse_caps(event, &caps);
      GstVideoInfo video;
      if (!gst_video_info_from_caps(&video, caps)) fail(Error::Kind::bad_data, "it is no raw picture");
      cover.picture_caps(video);
      return GST_PAD_PROBE_OK;
    }
    if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER_LIST)
      fail(Error::Kind::bad_data, "it comes in a list");
    SharedSilhouettes hidden;
    if (cover.config_.silhouettes) {
      const auto found = w.moving ? w.moving(pad, GST_PAD_PROBE_INFO_BUFFER(info)) : std::nullopt;
      constexpr double longest = 1; // seconds without a picture
      const double now = Utc::monotonic_seconds();
      if (!found && now - w.passed < longest) return GST_PAD_PROBE_DROP;
      w.passed = now;
      hidden = found.value_or(nullptr);
    }
    GstBuffer *own = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_PAD_PROBE_INFO_DATA(info) = own;
    cover.draw(own, hidden.get());
    return GST_PAD_PROBE_OK;
  }

  static void forget(gpointer user) { delete static_cast<Watch *>(user); }
};

void PrivacyCover::watch(GstPad *pad, const PrivacyConfig &config, Moving moving, GstElement *pipeline) {
  auto watch =
      std::make_unique<Callbacks::Watch>(Callbacks::Watch{PrivacyCover(config), pipeline, std::move(moving)});
  gst_pad_add_probe(pad,
                    static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                                                 GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST),
                    guarded<Callbacks::come, GST_PAD_PROBE_DROP>, watch.release(),
                    guarded<Callbacks::forget>);
}

PrivacyCover::PrivacyCover(const PrivacyConfig &config) : config_(config) {}

void PrivacyCover::picture_caps(const GstVideoInfo &info) {
  parts_.clear(); // draw() refuses until all below is there
  const GstVideoFormatInfo *format = info.finfo;
  constexpr guint byte = 8;
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format); c++)
    if (GST_VIDEO_FORMAT_INFO_DEPTH(format, c) != byte || GST_VIDEO_FORMAT_INFO_IS_COMPLEX(format) ||
        GST_VIDEO_FORMAT_INFO_IS_TILED(format) || GST_VIDEO_FORMAT_INFO_HAS_PALETTE(format))
      fail(Error::Kind::bad_data, "pictures of the format ", GST_VIDEO_FORMAT_INFO_NAME(format));
  const int width = info.width, height = info.height, size = size_ = cell_size(config_.fill, height);
  columns_ = (width + size - 1) / size;
  rows_ = (height + size - 1) / size;
  always_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), 0);
  std::vector<std::vector<Point>> polygons;
  for (const auto &[name, polygon] : config_.polygons) polygons.push_back(polygon.points);
  const auto pixels = touched(polygons, width, height);
  // A pixel next to one of the polygon may have some of it from a scaler.
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      if (pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)])
        continue;
      for (const int row : {std::max(0, y - 1) / size, std::min(height - 1, y + 1) / size})
        for (const int column : {std::max(0, x - 1) / size, std::min(width - 1, x + 1) / size})
          always_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)] = 1;
    }
  cells_ = always_;
  info_ = info;
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format); c++)
    if (black_of(info, static_cast<int>(c)) >= 0)
      parts_.push_back({static_cast<int>(c), size >> GST_VIDEO_FORMAT_INFO_W_SUB(format, c),
                        size >> GST_VIDEO_FORMAT_INFO_H_SUB(format, c)});
}

// A cell of the picture is covered where it touches a cell of the silhouettes.
void PrivacyCover::cover(const SilhouetteCells *moving) {
  if (!moving || !moving->whole()) return cells_.assign(cells_.size(), 1);
  cells_ = always_;
  const auto span_of = [](int cell, int size, int pixels, int mask, int mask_size) {
    const auto from = static_cast<std::int64_t>(cell) * size,
               to = std::min<std::int64_t>(from + size, pixels);
    const auto last = (to * mask + pixels - 1) / pixels - 1;
    return std::pair(static_cast<int>(from * mask / pixels) / mask_size, static_cast<int>(last) / mask_size);
  };
  const auto columns = static_cast<std::size_t>(moving->columns());
  std::vector<std::pair<int, int>> across(static_cast<std::size_t>(columns_));
  for (int c = 0; c < columns_; c++)
    across[static_cast<std::size_t>(c)] = span_of(c, size_, info_.width, moving->width, moving->size);
  auto to = cells_.begin();
  for (int row = 0; row < rows_; row++) {
    const auto [top, bottom] = span_of(row, size_, info_.height, moving->height, moving->size);
    for (const auto &[left, right] : across) {
      for (int y = top; y <= bottom && !*to; y++) {
        const auto begin =
            moving->cells.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y) * columns);
        *to = std::any_of(begin + left, begin + right + 1, [](std::uint8_t v) { return v != 0; });
      }
      ++to;
    }
  }
}

void PrivacyCover::draw(GstBuffer *picture, const SilhouetteCells *moving) {
  if (parts_.empty()) fail(Error::Kind::bad_data, "it comes before its format");
  if (config_.silhouettes) cover(moving);
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info_, picture, GST_MAP_READWRITE))
    fail(Error::Kind::bad_data, "its bytes cannot be written");
  for (const Part &part : parts_) {
    if (config_.fill == PrivacyConfig::Fill::black)
      black(frame, part);
    else
      pixelate(frame, part);
  }
  gst_video_frame_unmap(&frame);
}

void PrivacyCover::black(GstVideoFrame &frame, const Part &part) const {
  const Bytes2D bytes(frame, part.component);
  const int value = black_of(info_, part.component);
  for (int row = 0; row < rows_; row++)
    for (int first = 0, end = 0; first < columns_; first = end + 1) {
      while (first < columns_ && !covers(first, row)) first++;
      end = first;
      while (end < columns_ && covers(end, row)) end++;
      const int from = std::min(bytes.width, first * part.cell_width),
                to = std::min(bytes.width, end * part.cell_width);
      if (from == to) continue;
      for (int y = row * part.cell_height; y < std::min(bytes.height, (row + 1) * part.cell_height); y++)
        bytes.fill(from, to, y, value);
    }
}

void PrivacyCover::pixelate(GstVideoFrame &frame, const Part &part) const {
  const Bytes2D bytes(frame, part.component);
  for (int row = 0; row < rows_; row++)
    for (int column = 0; column < columns_; column++) {
      if (!covers(column, row)) continue;
      const int left = std::min(bytes.width, column * part.cell_width),
                right = std::min(bytes.width, left + part.cell_width),
                top = std::min(bytes.height, row * part.cell_height),
                bottom = std::min(bytes.height, top + part.cell_height);
      const int count = (right - left) * (bottom - top);
      if (count == 0) continue;
      int sum = 0;
      for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) sum += *bytes.at(x, y);
      for (int y = top; y < bottom; y++) bytes.fill(left, right, y, sum / count);
    }
}

} // namespace vigil::monitor
