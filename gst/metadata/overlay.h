// SPDX-License-Identifier: LGPL-2.1-or-later
// How elements draw what they found.
#pragma once

#include "gst/metadata/results.h"
#include "gst/video/formats.h"
#include "kernels/compose/compose.h"

#include <algorithm>
#include <gst/video/video.h>

namespace vigil::gst {

// Foreground red, shadows blue, boxes green, and black for what is cut away, in the colours of these frames.
compose::Style overlay_style(const GstVideoInfo &);

inline compose::Style overlay_style(const GstVideoInfo &info) {
  compose::Style s;
  s.black = colour_in(info, {0, 0, 0});
  s.tint = {colour_in(info, {255, 48, 32}), 144};
  s.shadow_tint = {colour_in(info, {32, 96, 255}), 112};
  s.box = colour_in(info, {48, 255, 64});
  s.line = std::max(1, GST_VIDEO_INFO_HEIGHT(&info) / 360);
  return s;
}

} // namespace vigil::gst
