// SPDX-License-Identifier: LGPL-2.1-or-later
// rgba.h in loops, pixel by pixel.
#include "kernels/convert/rgba.h"

#include <algorithm>

namespace vigil::convert {
namespace {

// Component c (1: U, 2: V) at pixel (x, y), less 128, in sixteenths.
int chroma(const ConstImage &p, int c, int x, int y) {
  const bool pairs = p.format == PixelFormat::nv12;
  const Plane<const std::uint8_t> plane = p.plane(pairs ? 1 : c);
  const auto at = [&](int u, int v) {
    u = std::clamp(u, 0, plane.width - 1);
    v = std::clamp(v, 0, plane.height - 1);
    return int(pairs ? plane.row(v)[2 * u + c - 1] : plane.row(v)[u]) - 128;
  };
  const int u = x / 2, v = y / 2, side = x % 2 ? u + 1 : u - 1, above = y % 2 ? v + 1 : v - 1;
  return 9 * at(u, v) + 3 * at(side, v) + 3 * at(u, above) + at(side, above);
}

std::uint8_t rounded(int value) { // in 1/8192 and sixteenths
  return static_cast<std::uint8_t>(std::clamp((value + (1 << 16)) >> 17, 0, 255));
}

class Reference final : public Converter {
 public:
  void apply(ConstImage from, const Conversion &c, Image to, Queue &) override {
    check_pictures(from, to);
    for (int y = 0; y < from.height; y++)
      for (int x = 0; x < from.width; x++) pixel(from, c, x, y, to.plane(0).row(y) + 4 * x);
  }

 private:
  static void pixel(const ConstImage &from, const Conversion &c, int x, int y, std::uint8_t *to) {
    const std::uint8_t *row = from.plane(0).row(y);
    to[3] = 255;
    switch (from.format) {
    case PixelFormat::rgba:
      std::copy_n(row + 4 * x, c.opaque ? 3 : 4, to);
      return;
    case PixelFormat::bgra:
      for (int k = 0; k < (c.opaque ? 3 : 4); k++) to[k] = row[4 * x + (k == 3 ? 3 : 2 - k)];
      return;
    case PixelFormat::gray8:
      std::fill_n(to, 3, row[x]);
      break;
    default: {
      const Matrix &m = c.matrix;
      const int luma = 16 * m.y * (row[x] - m.black), u = chroma(from, 1, x, y), v = chroma(from, 2, x, y);
      to[0] = rounded(luma + m.rv * v);
      to[1] = rounded(luma - m.gu * u - m.gv * v);
      to[2] = rounded(luma + m.bu * u);
    }
    }
  }
};

} // namespace

std::unique_ptr<Converter> make_reference() {
  return std::make_unique<Reference>();
}

} // namespace vigil::convert
