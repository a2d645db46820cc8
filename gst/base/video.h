// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's words for pictures, and the kernels'.
#pragma once

#include "common/plane.h"

#include <array>
#include <gst/video/video.h>

namespace vigil::gst {

// The formats that kernels read and write directly, for pad templates.
#define VIGIL_VIDEO_FORMATS "{ NV12, I420, GRAY8, RGBA, RGBx, BGRA, BGRx }"

// Throws Error::bad_setting for a format that is not among them.
PixelFormat pixel_format(const GstVideoInfo &);

// A colour given as R G B 0..255 in the picture's own channels (R G B, Y U V, or grey), by the matrix and range
// that the caps name.
std::array<std::uint8_t, 3> colour_in(const GstVideoInfo &, std::array<std::uint8_t, 3> rgb);

// The picture that a mapped frame holds.
Image image_of(const GstVideoFrame &);

} // namespace vigil::gst
