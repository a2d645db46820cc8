// SPDX-License-Identifier: LGPL-2.1-or-later
// What one pixel of an outline adds to its cell's rim, the same integers in every backend.
#pragma once

#include "kernels/ghost/luma.h"
#include "kernels/ghost/rim.h"

namespace vigil::ghost {

struct Gradient {
  int across, down;
};
inline VIGIL_HOST_DEVICE Gradient gradient_at(const ConstImage &p, int x, int y) {
  return {luma_at(p, x + reach, y) - luma_at(p, x - reach, y),
          luma_at(p, x, y + reach) - luma_at(p, x, y - reach)};
}
constexpr VIGIL_HOST_DEVICE int product(const Gradient &a, const Gradient &b) {
  return a.across * b.across + a.down * b.down;
}

// (x, y) is on the outline of F.
inline VIGIL_HOST_DEVICE Rim rim_at(const Plane<const std::uint8_t> &m, const ConstImage &frame,
                                    const ConstImage &background, int x, int y) {
  const auto within = [&](int i, int j) { return i >= 0 && j >= 0 && i < m.width && j < m.height; };
  const auto full = [&](int i, int j) { return m.row(j)[i] == 255; };
  int dx = 0, dy = 0;
  if (within(x - 1, y) && !full(x - 1, y))
    dx = -1;
  else if (within(x + 1, y) && !full(x + 1, y))
    dx = 1;
  else if (within(x, y - 1) && !full(x, y - 1))
    dy = -1;
  else
    dy = 1;
  const int ix = x - rim_inside * dx, iy = y - rim_inside * dy, ox = x + rim_outside * dx,
            oy = y + rim_outside * dy;
  if (!within(ix, iy) || !within(ox, oy) || !full(ix, iy) || full(ox, oy)) return {};
  const int in = luma_at(frame, ix, iy) - luma_at(background, ix, iy),
            out = luma_at(frame, ox, oy) - luma_at(background, ox, oy);
  const Gradient f = gradient_at(frame, ix, iy), b = gradient_at(background, ix, iy);
  return {1,
          static_cast<std::uint32_t>(in < 0 ? -in : in),
          in < 0   ? -out
          : in > 0 ? out
                   : 0,
          static_cast<std::uint32_t>(product(f, f)),
          static_cast<std::uint32_t>(product(b, b)),
          product(f, b)};
}

} // namespace vigil::ghost
