// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture in a device's memory with room around it, so that it can be seen through a shift. The room shows
// what is at the picture's edge.
#pragma once

#include "common/plane.h"
#include "common/shift.h"
#include "gst/cudamog/own_picture.h"

namespace vigil::gst::cudamog {

class BorderedPicture {
 public:
  BorderedPicture() = default;
  // `border` pixels on each side. 0 in memory that the host cannot write.
  BorderedPicture(Device &, PixelFormat, int width, int height, int border);
  // For whoever draws it anew: what is around it no longer fits.
  Image draw() {
    filled_ = 0;
    return picture_.image();
  }
  ConstImage image() const { return picture_.image(); }
  // The picture as a frame shifted by this would show it; `shift` is within the border.
  ConstImage through(Shift shift);

 private:
  void fill_border(int width);
  int border_ = 0, filled_ = 0; // pixels
  OwnPicture picture_;
};

} // namespace vigil::gst::cudamog
