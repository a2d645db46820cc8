// SPDX-License-Identifier: LGPL-2.1-or-later
// Why caps are refused, and what helps. GStreamer refuses caps that a pad does not take before the element
// sees them, and all that reaches the bus is another element's "not-negotiated".
#pragma once

#include <gst/gst.h>

namespace vigil::gst {

// From now on, caps that arrive at the element's sink pad and are refused there make an element error
// (GST_CORE_ERROR_NEGOTIATION) that names them and the element that converts such frames; once in a stream
// for the same caps. Call it when the pads have been made.
void explain_refused_caps(GstElement *);

} // namespace vigil::gst
