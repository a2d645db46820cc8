// SPDX-License-Identifier: LGPL-2.1-or-later
// Cuts a track out of a picture of any format and memory that GStreamer maps, for a network.
#pragma once

#include "detector.h"

#include <gst/video/video.h>
#include <optional>

namespace vigil::monitor {

// The surroundings (label::part_around) of `box` (0..1 of the picture), scaled to width x height without a
// change of shape, black at the sides where they are no square. Nothing: the box is outside of the picture,
// or the picture cannot be mapped or converted.
std::optional<Crop> cut_out(GstBuffer *, const GstVideoInfo &, const Rect &box, int width, int height);

} // namespace vigil::monitor
