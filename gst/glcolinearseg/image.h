// SPDX-License-Identifier: LGPL-2.1-or-later
// Background images.
#pragma once

#include "common/plane.h"

#include <gst/gst.h>
#include <vector>

namespace vigil::gst::glcolinearseg {

// A picture in host memory, RGBA without padding.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
  ConstImage image() const {
    return {PixelFormat::rgba, width, height, {rgba.data()}, {4 * std::ptrdiff_t(width)}};
  }
};

// The picture of a sample of any raw video format, in any memory that can be mapped. Throws Error::bad_data
// when it is none.
Picture picture_of(GstSample *);

} // namespace vigil::gst::glcolinearseg
