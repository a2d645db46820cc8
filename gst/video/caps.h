// SPDX-License-Identifier: LGPL-2.1-or-later
// What elements do with caps when they say what goes with what (GstBaseTransformClass.transform_caps).
#pragma once

#include <gst/gst.h>

namespace vigil::gst {

// A copy, without frames in CUDA memory where that is out of reach.
GstCaps *caps_in_reach(GstCaps *, bool without_cuda);
// Intersects `caps` (transfer full) with `filter`, in the order of the filter. A null filter returns `caps`
// unchanged.
GstCaps *filter_caps(GstCaps *caps, GstCaps *filter);

} // namespace vigil::gst
