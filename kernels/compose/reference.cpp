// SPDX-License-Identifier: LGPL-2.1-or-later
// Naive loops from the definitions in compose.h: every sample of every plane asks the pixels that it stands
// for.
#include "kernels/compose/compose.h"

#include <algorithm>
#include <optional>

namespace vigil::compose {
namespace {

enum class Kind { background, shadow, foreground };

// The pixels of the picture that a sample stands for: x0 <= x < x1, y0 <= y < y1.
struct Pixels {
  int x0, y0, x1, y1;

  template <class Test>
  bool any(Test test) const {
    for (int y = y0; y < y1; y++)
      for (int x = x0; x < x1; x++)
        if (test(x, y)) return true;
    return false;
  }
};

Kind kind_of(const Pixels &pixels, const Plane<const std::uint8_t> &mask) {
  if (pixels.any([&](int x, int y) { return mask.row(y)[x] == 255; })) return Kind::foreground;
  if (pixels.any([&](int x, int y) { return mask.row(y)[x] > 0; })) return Kind::shadow;
  return Kind::background;
}

bool on_outline(std::int64_t x, std::int64_t y, const DrawnBox &b, int line) {
  const std::int64_t left = x - b.x, top = y - b.y, right = b.width - 1 - left, bottom = b.height - 1 - top;
  return std::min({left, top, right, bottom}) >= 0 && std::min({left, top, right, bottom}) < line;
}

std::uint8_t mix(std::uint8_t c, const Tint &tint, int channel) {
  const int s = std::clamp(tint.strength, 0, 256);
  return static_cast<std::uint8_t>(((256 - s) * c + s * tint.colour[channel] + 128) >> 8);
}

// Which of the colour's channels a byte of a pixel is; none for alpha.
std::optional<int> channel_of(PixelFormat format, int plane, int byte) {
  switch (format) {
  case PixelFormat::rgba:
    return byte == 3 ? std::nullopt : std::optional(byte);
  case PixelFormat::bgra:
    return byte == 3 ? std::nullopt : std::optional(2 - byte);
  case PixelFormat::nv12:
    return plane + byte;
  default:
    return plane;
  }
}
int bytes_a_pixel(PixelFormat format, int plane) {
  if (format == PixelFormat::rgba || format == PixelFormat::bgra) return 4;
  return format == PixelFormat::nv12 && plane == 1 ? 2 : 1;
}

// out = sample(value, channel, pixels) for every sample that is not alpha.
template <class Sample>
void each_sample(const ConstImage &frame, const Image &out, Sample sample) {
  for (int p = 0; p < plane_count(frame.format); p++) {
    const int cover = p > 0 ? 2 : 1, bytes = bytes_a_pixel(frame.format, p);
    const auto from = frame.plane(p);
    const auto to = out.plane(p);
    for (int y = 0; y < from.height; y++)
      for (int x = 0; x < from.width; x++) {
        const Pixels pixels{x * cover, y * cover, std::min((x + 1) * cover, frame.width),
                            std::min((y + 1) * cover, frame.height)};
        for (int b = 0; b < bytes; b++) {
          const std::uint8_t value = from.row(y)[x * bytes + b];
          const auto channel = channel_of(frame.format, p, b);
          to.row(y)[x * bytes + b] = channel ? sample(value, *channel, pixels) : value;
        }
      }
  }
}

class Reference final : public Composer {
 public:
  void foreground(ConstImage frame, Plane<const std::uint8_t> mask, const Style &style, Image out,
                  Queue &) override {
    check_pictures(frame, mask, out);
    each_sample(frame, out, [&](std::uint8_t value, int channel, const Pixels &pixels) {
      return kind_of(pixels, mask) == Kind::foreground ? value : style.black[channel];
    });
  }

  void overlay(ConstImage frame, Plane<const std::uint8_t> mask, std::span<const DrawnBox> boxes,
               const Style &style, Image out, Queue &) override {
    check_pictures(frame, mask, out);
    const auto drawn = boxes.first(std::min<std::size_t>(boxes.size(), max_boxes));
    each_sample(frame, out, [&](std::uint8_t value, int channel, const Pixels &pixels) {
      for (const DrawnBox &b : drawn)
        if (pixels.any([&](int x, int y) { return on_outline(x, y, b, style.line); }))
          return style.box[channel];
      switch (kind_of(pixels, mask)) {
      case Kind::foreground:
        return mix(value, style.tint, channel);
      case Kind::shadow:
        return mix(value, style.shadow_tint, channel);
      default:
        return value;
      }
    });
  }
};

} // namespace

std::unique_ptr<Composer> make_reference() {
  return std::make_unique<Reference>();
}

} // namespace vigil::compose
