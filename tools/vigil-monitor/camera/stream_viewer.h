// SPDX-License-Identifier: LGPL-2.1-or-later
// Somebody who is given a camera's compressed stream as it comes (recorder.h), beginning with a key frame.
#pragma once

#include <gst/gst.h>
#include <string>
#include <string_view>

namespace vigil::monitor {

// A camera's sound, in two forms that are often the same.
enum class SoundForm {
  sent,  // as the camera sends it
  stored // as a file holds it: G.711 as Opus
};

// opus, pcma, pcmu or aac, of sound as it is sent.
inline std::string sound_codec_of(const GstCaps *sent) {
  const std::string_view name = gst_structure_get_name(gst_caps_get_structure(sent, 0));
  return name == "audio/x-opus"    ? "opus"
         : name == "audio/x-alaw"  ? "pcma"
         : name == "audio/x-mulaw" ? "pcmu"
                                   : "aac";
}

class StreamViewer {
 public:
  StreamViewer() = default;
  virtual ~StreamViewer() = default;
  StreamViewer(const StreamViewer &) = delete;
  StreamViewer &operator=(const StreamViewer &) = delete;

  // From streaming threads; they must not wait. `time`: of capture, by the monotonic clock.
  virtual void push(GstBuffer *, double time) = 0; // whole pictures in decoding order
  virtual void push_sound(SoundForm, GstCaps *, GstBuffer *, double time) = 0;
  virtual void end() = 0; // the stream broke off, or goes on as another one
};

} // namespace vigil::monitor
