// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture in a device's memory with room around it, so that it can be seen through a shift. The room shows
// what is at the picture's edge.
#pragma once

#include "common/shifted.h"
#include "gst/cudamog/device_picture.h"

#include <cstdint>

namespace vigil::gst::cudamog {

class BorderedPicture {
 public:
  BorderedPicture() = default;
  // `border` pixels on each side.
  BorderedPicture(Device &, PixelFormat, int width, int height, int border);
  // To be drawn again: the room around it no longer fits.
  Image draw() {
    filled_ = 0;
    draws_++;
    return picture_.image();
  }
  std::uint64_t draws() const { return draws_; } // so far
  ConstImage image() const { return picture_.image(); }
  // The picture as a frame with this shift would show it. The shift is in the device's memory and within the
  // border; on the CPU it is known by now. Where it is turned, which happens on the CPU alone, the picture is
  // drawn to `turned`. Valid until the picture is drawn again.
  Shifted through(const Shift *shift, const Image &turned, Queue &);

 private:
  Device *device_ = nullptr;
  int border_ = 0, filled_ = 0; // pixels
  std::uint64_t draws_ = 0;
  DevicePicture picture_;
};

} // namespace vigil::gst::cudamog
