// SPDX-License-Identifier: LGPL-2.1-or-later
// What the backends share. No loop over pixels.
#include "kernels/compose/compose.h"
#include "kernels/of_backend.h"

#include "common/error.h"
#include "kernels/compose/layers.h"

#include <algorithm>

namespace vigil::compose {
namespace {

// Which colour channel each byte of a pixel is; -1: alpha.
struct Bytes {
  int count;
  int channel[4];
};
Bytes bytes_of(PixelFormat format, int plane) {
  switch (format) {
  case PixelFormat::rgba:
    return {4, {0, 1, 2, -1}};
  case PixelFormat::bgra:
    return {4, {2, 1, 0, -1}};
  case PixelFormat::nv12:
    return plane == 0 ? Bytes{1, {0}} : Bytes{2, {1, 2}};
  default:
    return {1, {plane}};
  }
}

// c' = (scale * c + share * colour + round) >> 8
Blend blend(const Bytes &bytes, int scale, const Colour &colour, int share, int round) {
  Blend b;
  b.scale = std::uint32_t(scale);
  for (int i = 0; i < 4; i++) {
    const int channel = bytes.channel[i % bytes.count];
    if (channel < 0)
      b.keep |= 0xffu << (8 * i);
    else
      (i % 2 ? b.odd : b.even) |= std::uint32_t(share * colour[channel] + round) << (16 * (i / 2));
  }
  return b;
}
Blend tinted(const Bytes &bytes, const Tint &tint) {
  const int s = std::clamp(tint.strength, 0, 256);
  return s == 0 ? Blend{} : blend(bytes, 256 - s, tint.colour, s, 128);
}

template <class Make>
Layers layers(PixelFormat format, const Style &style, Make make) {
  Layers all;
  for (int i = 0; i < plane_count(format); i++) {
    const Bytes bytes = bytes_of(format, i);
    Layer &layer = all.plane[i];
    layer.pixel_bytes = bytes.count;
    layer.chroma = i > 0;
    layer.blends = make(bytes);
    layer.outline_bytes = std::min(bytes.count, 3);
    for (int k = 0; k < layer.outline_bytes; k++) layer.outline[k] = style.box[bytes.channel[k]];
  }
  return all;
}

Rectangle clipped(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom, int width,
                  int height) {
  const auto within = [](std::int64_t v, int size) { return int(std::clamp<std::int64_t>(v, 0, size)); };
  return {within(left, width), within(top, height), within(right, width), within(bottom, height)};
}
bool empty(const Rectangle &r) {
  return r.left >= r.right || r.top >= r.bottom;
}

} // namespace

Layers foreground_layers(PixelFormat format, const Style &style) {
  return layers(format, style, [&](const Bytes &bytes) {
    const Blend black = blend(bytes, 0, style.black, 256, 0);
    return Blends{black, black, {}};
  });
}

Layers overlay_layers(PixelFormat format, const Style &style) {
  return layers(format, style, [&](const Bytes &bytes) {
    return Blends{{}, tinted(bytes, style.shadow_tint), tinted(bytes, style.tint)};
  });
}

Outlines outlines_of(std::span<const DrawnBox> boxes, const Style &style, int width, int height) {
  Outlines all;
  if (style.line <= 0) return all;
  for (const DrawnBox &b : boxes.first(std::min<std::size_t>(boxes.size(), max_boxes))) {
    if (b.width <= 0 || b.height <= 0) continue;
    const std::int64_t left = b.x, top = b.y, right = left + b.width, bottom = top + b.height, n = style.line;
    Outline o{clipped(left, top, right, bottom, width, height),
              clipped(left + n, top + n, right - n, bottom - n, width, height)};
    if (empty(o.outer)) continue;
    if (empty(o.inner)) o.inner = {o.outer.right, o.outer.bottom, o.outer.right, o.outer.bottom};
    all.outline[all.count++] = o;
  }
  return all;
}

void check_pictures(const ConstImage &frame, Plane<const std::uint8_t> mask, const Image &out) {
  using enum Error::Kind;
  if (frame.width < 1 || frame.height < 1)
    fail(bad_setting, "a frame of ", frame.width, "x", frame.height, " pixels is not possible");
  if (is_16_bit(frame.format))
    fail(bad_setting, "pictures are composed of 8 bits a sample; this frame has 16");
  const auto check = [&](const char *what, int width, int height) {
    if (width != frame.width || height != frame.height)
      fail(bad_setting, "the ", what, " is of ", width, "x", height, " pixels, but the frame is of ",
           frame.width, "x", frame.height);
  };
  check("mask", mask.width, mask.height);
  check("result", out.width, out.height);
  if (out.format != frame.format)
    fail(bad_setting, "the result's format is ", int(out.format), ", but the frame's is ", int(frame.format));
  bool there = mask.data;
  for (int i = 0; i < plane_count(frame.format); i++) there = there && frame.data[i] && out.data[i];
  if (!there) fail(bad_setting, "the frame, the mask or the result has no memory");
}

std::unique_ptr<Composer> make(Device &device) {
  return of_backend(device, make_cpu, make_cuda, make_gl)(device);
}

} // namespace vigil::compose
