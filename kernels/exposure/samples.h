// SPDX-License-Identifier: LGPL-2.1-or-later
// One sample of a picture, as the contract numbers the channels.
#pragma once

#include "kernels/exposure/exposure.h"
#include "kernels/mog/mog.h"

namespace vigil::exposure {

inline VIGIL_HOST_DEVICE int sample(const ConstImage &p, int channels, int c, int x, int y) {
  const std::uint8_t *first = p.plane(0).row(y);
  if (p.format == PixelFormat::rgba || p.format == PixelFormat::bgra) {
    const std::uint8_t *v = first + 4 * static_cast<std::ptrdiff_t>(x);
    if (channels == 3) return v[c];
    return p.format == PixelFormat::rgba ? mog::luma(v[0], v[1], v[2]) : mog::luma(v[2], v[1], v[0]);
  }
  if (c == 0) return first[x];
  if (p.format == PixelFormat::nv12) return p.plane(1).row(y / 2)[x / 2 * 2 + c - 1];
  return c == 1 ? p.plane(1).row(y / 2)[x / 2] : p.plane(2).row(y / 2)[x / 2];
}
inline constexpr VIGIL_HOST_DEVICE bool usable(int b, int y) {
  return b >= lowest && b <= highest && y >= lowest && y <= highest;
}
// Bytes of a row of plane `i` that belong to the picture, and the channel of byte k of it; -1: is copied.
inline VIGIL_HOST_DEVICE int channel_of(PixelFormat f, int channels, int plane, int k) {
  if (f == PixelFormat::rgba || f == PixelFormat::bgra) return k % 4 == 3 ? -1 : channels == 1 ? 0 : k % 4;
  if (plane == 0) return 0;
  if (channels == 1) return -1;
  return f == PixelFormat::nv12 ? 1 + k % 2 : plane;
}
// Whether the rule for clipped samples of R, G, B and a single channel holds.
inline VIGIL_HOST_DEVICE bool may_clip(PixelFormat f, int channels) {
  return f == PixelFormat::gray8 || (!is_yuv(f) && channels == 3);
}
// A pixel of Y, U and V; with one channel, luma alone.
inline VIGIL_HOST_DEVICE Yuv yuv_at(const ConstImage &p, int channels, int x, int y) {
  const bool whole = channels == 3;
  return {sample(p, channels, 0, x, y), whole ? sample(p, channels, 1, x, y) : 128,
          whole ? sample(p, channels, 2, x, y) : 128};
}

} // namespace vigil::exposure
