// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a camera's pictures come from.
#pragma once

#include "../config/config.h"

#include <gst/gst.h>
#include <optional>
#include <string>

namespace vigil::monitor {

enum class SourceKind {
  network, // rtsp://, http:// and other addresses
  file,    // played at its own speed; it has an end
  device,  // /dev/video0
  launch,  // elements as in gst-launch
};
SourceKind source_kind(const std::string &source);
// Whether it may come to an end and begin again. A camera that ends is connected again.
bool has_end(const std::string &source);

// What takes sound that is recorded as it is out of RTP; nothing for any other.
struct SoundChain {
  const char *depay, *parse, *caps;
};
std::optional<SoundChain> sound_chain(const GstCaps *rtp);

// Adds the source to the pipeline, and a parsebin after it that makes pads, `pad_added`, of parsed streams or
// raw video. `sound_added`: for pads of RTP with sound that can be recorded; null: it is not asked for.
// Throws Error::bad_setting or Error::no_device, credentials masked.
void add_source(GstBin *, const CameraConfig &, GCallback pad_added, GCallback sound_added, gpointer user);

// Throws when the source can be seen to be wrong without starting it.
void check_source(const CameraConfig &);

} // namespace vigil::monitor
