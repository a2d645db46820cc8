// SPDX-License-Identifier: LGPL-2.1-or-later
// What one pixel of an outline adds to its cell's rim, the same integers in every backend.
#pragma once

#include "kernels/ghost/boundary_contrast.h"
#include "kernels/ghost/luma.h"

namespace vigil::ghost {

struct Gradient {
  int across, down;
};
// `luma`: luma_at(), or a way of a backend's own to the same number.
template <class Luma>
VIGIL_HOST_DEVICE Gradient gradient_at(const ConstImage &p, int x, int y, Luma luma) {
  return {luma(p, x + reach, y) - luma(p, x - reach, y), luma(p, x, y + reach) - luma(p, x, y - reach)};
}
constexpr VIGIL_HOST_DEVICE int product(const Gradient &a, const Gradient &b) {
  return a.across * b.across + a.down * b.down;
}

// (x, y) is on the outline of F.
template <class Luma>
VIGIL_HOST_DEVICE BoundaryContrast rim_at(const Plane<const std::uint8_t> &m, const ConstImage &frame,
                                          const ConstImage &background, int x, int y, Luma luma) {
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
  const int in = luma(frame, ix, iy) - luma(background, ix, iy),
            out = luma(frame, ox, oy) - luma(background, ox, oy);
  const Gradient f = gradient_at(frame, ix, iy, luma), b = gradient_at(background, ix, iy, luma);
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
