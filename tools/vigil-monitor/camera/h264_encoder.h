// SPDX-License-Identifier: LGPL-2.1-or-later
// The encoder of H.264 for pictures that come raw, or that are changed before they are stored.
#pragma once

#include <gst/gst.h>

namespace vigil::monitor {

// The first element that encodes pictures here, a GPU's before the processor's; null: there is none. Each is
// tried at the first call: a registry may know encoders that the GPU at hand does not have.
const char *h264_encoder();

constexpr const char *no_h264_encoder = "GStreamer has no encoder of H.264 that works here; install "
                                        "gstreamer1.0-plugins-ugly or gstreamer1.0-plugins-bad";

// What stands for a stream that a camera encodes well: a constant quality. Without: a small stream.
void set_up_h264_encoder(GstElement *, bool by_quality);

} // namespace vigil::monitor
