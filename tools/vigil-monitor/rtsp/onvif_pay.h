// SPDX-License-Identifier: LGPL-2.1-or-later
// ONVIF's metadata stream as RTP (ONVIF Streaming Specification, "RTP for Metadata stream"): a document goes
// in packets of at most the MTU, and the last one has the marker bit. An element for GStreamer.
#pragma once

#include <gst/gst.h>

namespace vigil::monitor {

inline constexpr const char *onvif_media_type = "application/x-onvif-metadata";
GstElement *new_onvif_pay(const char *name); // a floating reference

} // namespace vigil::monitor
