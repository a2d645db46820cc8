// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture as a frame would show it that is shifted against it by a distance only the device knows.
#pragma once

#include "common/plane.h"

namespace vigil {

// How far a picture lies from another one, in whole pixels.
// Pixel (x, y) of the one shows what pixel (x - shift.x, y - shift.y) of the other does: positive values mean
// that its content lies further to the right and further down.
// Its content may be turned clockwise and larger as well (turned.h), each by as many half pixels as it moves
// what is half of the longest side away from the middle.
struct Shift {
  int x = 0, y = 0, turn = 0, zoom = 0;
  constexpr VIGIL_HOST_DEVICE bool is_turned() const { return turn != 0 || zoom != 0; }
  bool operator==(const Shift &) const = default;
};

// Bytes from one pixel (plane 0) or one chroma value to the next; 8 bits a sample.
constexpr VIGIL_HOST_DEVICE std::ptrdiff_t pixel_bytes(PixelFormat f, int plane) {
  if (f == PixelFormat::rgba || f == PixelFormat::bgra) return 4;
  return f == PixelFormat::nv12 && plane == 1 ? 2 : 1;
}
// A distance in pixels, in the plane's own rows and columns; of an odd one chroma goes with the pixel to the
// left.
constexpr VIGIL_HOST_DEVICE int in_plane(int pixels, int plane) {
  return plane == 0 ? pixels : (pixels - (pixels & 1)) / 2;
}

// Pixel (x, y) of what is seen is pixel (x - by->x, y - by->y) of the picture, which has as much room around
// it. `by` is in the device's memory, and is read when the queue gets there; null: no shift. Where it is
// turned, `turned` is what is seen.
struct Shifted {
  ConstImage picture;
  const Shift *by = nullptr;
  ConstImage turned;

  Shifted() = default;
  Shifted(const ConstImage &p, const Shift *shift = nullptr, const ConstImage &turned_picture = {})
      : picture(p), by(shift), turned(turned_picture) {}
  Shifted(const Image &p) : picture(p) {}

  // Only where the device's memory can be read, and `by` is written.
  VIGIL_HOST_DEVICE ConstImage seen() const {
    ConstImage p = picture;
    if (!by) return p;
    if (by->is_turned()) return turned;
    for (int i = 0; i < 3; i++)
      if (p.data[i])
        p.data[i] -= in_plane(by->y, i) * p.stride[i] + in_plane(by->x, i) * pixel_bytes(p.format, i);
    return p;
  }
};

} // namespace vigil
