// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/registration/points.h"

#include "common/error.h"
#include "kernels/ghost/luma.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace vigil::registration {
namespace {

struct Grey {
  static constexpr std::ptrdiff_t bytes = 1;
  static int luma(const std::uint8_t *p) { return *p; }
};
template <int red>
struct Packed {
  static constexpr std::ptrdiff_t bytes = 4;
  static int luma(const std::uint8_t *p) { return mog::luma(p[red], p[1], p[2 - red]); }
};

template <class Pixel>
double score_of(const ConstImage &frame, const std::vector<Point> &points, int reach, Shift s) {
  const Plane<const std::uint8_t> rows = frame.plane(0);
  float sum = 0;
  int seen = 0;
  for (const Point &p : points) {
    const int across = p.down ? 0 : reach, down = p.down ? reach : 0, x = p.x + s.x, y = p.y + s.y;
    if (x < across || x + across >= frame.width || y < down || y + down >= frame.height) continue;
    seen++;
    const std::uint8_t *at = rows.row(y) + Pixel::bytes * x;
    const std::ptrdiff_t far = Pixel::bytes * across + rows.stride * down;
    const int f = Pixel::luma(at + far) - Pixel::luma(at - far);
    if ((f < 0) != (p.difference < 0)) continue;
    const int a = std::abs(f), b = std::abs(p.difference);
    sum += static_cast<float>(std::min(a, b)) / static_cast<float>(std::max(a, b));
  }
  const bool enough = seen > 0 && 2 * seen >= static_cast<int>(points.size());
  return enough ? static_cast<double>(sum) / seen : 0;
}

} // namespace

void Points::choose(const ConstImage &b) {
  if (is_16_bit(b.format)) fail(Error::Kind::bad_setting, "frames with 16 bits a sample are not registered");
  points_.clear();
  format_ = b.format;
  width_ = b.width;
  height_ = b.height;
  reach_ = reach_of(std::max(b.width, b.height));
  const auto luma = [&](int x, int y) { return ghost::luma_at(b, x, y); };
  const int width = std::max(1, b.width / tile_columns), height = std::max(1, b.height / tile_rows);
  const int step = std::max(1, std::min(width, height) / 6);
  for (int top = 0; top + height <= b.height; top += height)
    for (int left = 0; left + width <= b.width; left += width) {
      Point across{0, 0, false, 0}, down{0, 0, true, 0};
      for (int y = top; y < top + height; y += step)
        for (int x = left; x < left + width; x += step) {
          const int h = luma(x + reach_, y) - luma(x - reach_, y);
          const int v = luma(x, y + reach_) - luma(x, y - reach_);
          if (std::abs(h) > std::abs(across.difference)) across = {x, y, false, h};
          if (std::abs(v) > std::abs(down.difference)) down = {x, y, true, v};
        }
      for (const Point &p : {across, down})
        if (std::abs(p.difference) >= least_edge) points_.push_back(p);
    }
}

double Points::score(const ConstImage &frame, Shift s) const {
  switch (frame.format) {
  case PixelFormat::rgba:
    return score_of<Packed<0>>(frame, points_, reach_, s);
  case PixelFormat::bgra:
    return score_of<Packed<2>>(frame, points_, reach_, s);
  default:
    return score_of<Grey>(frame, points_, reach_, s);
  }
}

void Points::check(const ConstImage &frame) const {
  if (frame.format != format_ || frame.width != width_ || frame.height != height_)
    fail(Error::Kind::bad_setting, "the background is of ", width_, "x", height_, " pixels in format ",
         int(format_), ", but the frame of ", frame.width, "x", frame.height, " in format ",
         int(frame.format));
}

} // namespace vigil::registration
