// SPDX-License-Identifier: LGPL-2.1-or-later
// Luma of a pixel and the strength of edges there, the same integers in every backend.
#pragma once

#include "kernels/ghost/ghost.h"
#include "kernels/mog/mog.h"

namespace vigil::ghost {

inline VIGIL_HOST_DEVICE int luma_at(const ConstImage &p, int x, int y) {
  x = x < 0 ? 0 : x >= p.width ? p.width - 1 : x;
  y = y < 0 ? 0 : y >= p.height ? p.height - 1 : y;
  const std::uint8_t *row = p.plane(0).row(y);
  if (p.format != PixelFormat::rgba && p.format != PixelFormat::bgra) return row[x];
  const std::uint8_t *v = row + 4 * static_cast<std::ptrdiff_t>(x);
  return p.format == PixelFormat::rgba ? mog::luma(v[0], v[1], v[2]) : mog::luma(v[2], v[1], v[0]);
}
inline VIGIL_HOST_DEVICE std::uint32_t edge_at(const ConstImage &p, int x, int y) {
  const int across = luma_at(p, x + reach, y) - luma_at(p, x - reach, y);
  const int down = luma_at(p, x, y + reach) - luma_at(p, x, y - reach);
  return static_cast<std::uint32_t>((across < 0 ? -across : across) + (down < 0 ? -down : down));
}
inline VIGIL_HOST_DEVICE bool on_outline(const Plane<const std::uint8_t> &m, int x, int y) {
  if (m.row(y)[x] != 255) return false;
  return (x > 0 && m.row(y)[x - 1] != 255) || (x + 1 < m.width && m.row(y)[x + 1] != 255) ||
         (y > 0 && m.row(y - 1)[x] != 255) || (y + 1 < m.height && m.row(y + 1)[x] != 255);
}

} // namespace vigil::ghost
