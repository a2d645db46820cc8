// SPDX-License-Identifier: LGPL-2.1-or-later
#include "encoder.h"

#include "common/error.h"
#include "tools/base/pipeline.h"

#include <initializer_list>

namespace vigil::demo {

namespace {

struct Candidate {
  Encoder encoder;
  std::initializer_list<const char *> needs;
};

} // namespace

const Encoder &choose_encoder() {
  // Players want 4:2:0, hence the profile.
  static const Candidate candidates[] = {
      {{"x264enc",
        "x264enc speed-preset=veryfast pass=qual quantizer=23 ! video/x-h264,profile=high ! h264parse ! "
        "mp4mux",
        "mp4", "H.264 in MP4"},
       {"x264enc", "h264parse", "mp4mux"}},
      {{"openh264enc", "openh264enc bitrate=4000000 ! h264parse ! mp4mux", "mp4", "H.264 in MP4"},
       {"openh264enc", "h264parse", "mp4mux"}},
      {{"vp8enc", "vp8enc deadline=1 cpu-used=4 target-bitrate=4000000 ! webmmux", "webm", "VP8 in WebM"},
       {"vp8enc", "webmmux"}},
      {{"jpegenc", "jpegenc ! avimux", "avi", "JPEG in AVI"}, {"jpegenc", "avimux"}},
  };
  for (const Candidate &c : candidates) {
    bool all = true;
    for (const char *n : c.needs) all = all && tools::has_element(n);
    if (all) return c.encoder;
  }
  fail(Error::Kind::no_device,
       "no video encoder is installed: the demo needs one of x264enc "
       "(gstreamer1.0-plugins-ugly), openh264enc (gstreamer1.0-plugins-bad), vp8enc or "
       "jpegenc (gstreamer1.0-plugins-good)");
}

} // namespace vigil::demo
