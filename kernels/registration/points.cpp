// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/registration/points.h"

#include "common/turned.h"

#include <algorithm>
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
float score_in(const ConstImage &frame, const std::vector<EdgePoint> &points, int reach, Shift s) {
  const Plane<const std::uint8_t> rows = frame.plane(0);
  const Turned places(s, frame.width, frame.height);
  const bool turned = s.is_turned();
  std::uint32_t sum = 0;
  int seen = 0;
  for (const EdgePoint &p : points) {
    const auto [x, y] = turned ? places.of(p.x, p.y) : Position{p.x + s.x, p.y + s.y};
    const int across = p.down ? 0 : reach, down = p.down ? reach : 0;
    if (x < across || x + across >= frame.width || y < down || y + down >= frame.height) continue;
    seen++;
    const std::uint8_t *at = rows.row(y) + Pixel::bytes * x;
    const std::ptrdiff_t far = Pixel::bytes * across + rows.stride * down;
    sum += static_cast<std::uint32_t>(share_of(Pixel::luma(at + far) - Pixel::luma(at - far), p.difference));
  }
  return score_of(sum, seen, static_cast<int>(points.size()));
}

} // namespace

void Points::choose(const ConstImage &b) {
  check_background(b);
  points_.clear();
  kind_ = b;
  reach_ = reach_of(std::max(b.width, b.height));
  const TileGrid grid(b.width, b.height);
  for (int tile = 0; tile < grid.count(); tile++)
    for (const bool down : {false, true}) {
      EdgePoint best{};
      for (int i = 0; i < grid.candidates(); i++)
        if (const EdgePoint p = candidate(b, grid, tile, i, down, reach_);
            size_of(p.difference) > size_of(best.difference))
          best = p;
      if (best.is_one()) points_.push_back(best);
    }
}

float Points::score(const ConstImage &frame, Shift s) const {
  switch (frame.format) {
  case PixelFormat::rgba:
    return score_in<Packed<0>>(frame, points_, reach_, s);
  case PixelFormat::bgra:
    return score_in<Packed<2>>(frame, points_, reach_, s);
  default:
    return score_in<Grey>(frame, points_, reach_, s);
  }
}

} // namespace vigil::registration
