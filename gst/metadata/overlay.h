// SPDX-License-Identifier: LGPL-2.1-or-later
// How elements draw what they found.
#pragma once

#include "gst/metadata/results.h"
#include "kernels/compose/compose.h"

#include <gst/video/video.h>

namespace vigil::gst {

// Foreground red, shadows blue, boxes green, and black for what is cut away, in the colours of these frames.
compose::Style overlay_style(const GstVideoInfo &);

} // namespace vigil::gst
