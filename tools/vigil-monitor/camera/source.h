// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a camera's pictures come from.
#pragma once

#include "../config/config.h"

#include <gst/gst.h>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

enum class SourceKind {
  network, // rtsp://, http:// and other addresses
  file,    // played at its own speed; it has an end
  device,  // /dev/video0
  launch,  // elements as in gst-launch
};
// Before the first camera. Registers the types that sources of a network share. In GLib 2.74 two threads that
// register them at once can block each other permanently: one holds the lock of classes, the other has begun
// the type (g_type_add_interface_static).
void register_network_types();

SourceKind source_kind(const std::string &source);
// Whether it may come to an end and begin again. A camera that ends is connected again.
bool has_end(const std::string &source);

// Elements that take sound out of RTP, and what they give: AAC, Opus and G.711 as they come. Nothing for any
// other sound. `stored`: what follows where a file holds it in another form, G.711 as Opus.
struct SoundChain {
  std::vector<const char *> elements;
  const char *caps;
  std::vector<const char *> stored;
  const char *stored_caps;
};
std::optional<SoundChain> sound_chain(const GstCaps *rtp);

bool is_sound(const GstCaps *rtp);

constexpr const char *source_parser = "vigil-parser-of-source"; // the name of add_source()'s parsebin

struct SourcePads { // functions for "pad-added", guarded
  GCallback stream; // of the parsebin after the source: parsed streams or raw video
  GCallback rtp;    // of a source of RTP: video, and sound that can be used
  gpointer user;
  bool with_sound; // else sound is not asked for
  bool with_times; // packets of RTP get the times that the camera says (sender_clock.h)
};
// Adds the source to the pipeline, and a parsebin after it. Throws Error::bad_setting or Error::no_device,
// credentials masked.
void add_source(GstBin *, const std::string &source, const SourcePads &);

// An rtspsrc, with a floating reference, that asks no host but the address's. `with_times` as above. Throws
// Error::no_device.
GstElement *make_rtsp_source(const std::string &address, bool with_times);

// Throws when a source of the camera can be seen to be wrong without starting it.
void check_source(const CameraConfig &);

} // namespace vigil::monitor
