// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture with room around it in both memories, and what a shifted frame shows of it.
#pragma once

#include "common/shifted.h"
#include "tests/check/checker.h"

namespace vigil::check {

class Bordered {
 public:
  // `border` is even, so that chroma has half of it.
  Bordered(Checker &c, PixelFormat f, int width, int height, int border, int padding = 0)
      : whole(c, f, width + 2 * border, height + 2 * border, padding), width_(width), height_(height),
        border_(border) {}
  Image host() { return inner(whole.host()); }
  Image device() { return inner(whole.device()); }
  // Copies what a frame with this shift shows to `to`, pixel by pixel. Host memory; |shift| is within the
  // border.
  void show(Shift shift, const Image &to) {
    const Image from = host();
    for (int p = 0; p < plane_count(from.format); p++)
      for (int y = 0; y < plane_rows(p, height_); y++)
        for (int k = 0; k < row_bytes(from.format, p, width_); k++)
          to.plane(p).row(y)[k] = from.plane(p).row(
              y - in_plane(shift.y, p))[k - in_plane(shift.x, p) * pixel_bytes(from.format, p)];
  }
  Picture whole;

 private:
  Image inner(Image i) const {
    i.width = width_;
    i.height = height_;
    for (int p = 0; p < plane_count(i.format); p++)
      i.data[p] += in_plane(border_, p) * (i.stride[p] + pixel_bytes(i.format, p));
    return i;
  }
  int width_, height_, border_;
};

// A shift in the device's memory.
class KnownShift {
 public:
  KnownShift(Checker &c, Shift s) : memory_(c.device, sizeof s) {
    c.device.upload(memory_.as(), &s, sizeof s, c.queue());
    c.queue().wait(); // `s` goes
  }
  const Shift *get() const { return memory_.as<const Shift>(); }

 private:
  DeviceBuffer memory_;
};

} // namespace vigil::check
