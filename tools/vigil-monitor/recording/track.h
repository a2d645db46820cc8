// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's caps of a stream as a track of a file.
#pragma once

#include "mp4_writer.h"

#include <gst/gst.h>
#include <optional>

namespace vigil::monitor {

// Nothing where such a stream is not recorded, or the caps do not say enough yet.
std::optional<Mp4Track> track_of(const GstCaps *);

} // namespace vigil::monitor
