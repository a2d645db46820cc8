// SPDX-License-Identifier: LGPL-2.1-or-later
// Which frames of a compressed stream go to the decoder, and which pictures of the decoder go on: those that
// can be decoded, while the decoder keeps up, and those that show something of the scene.
#pragma once

#include "damage_gate.h"
#include "key_gate.h"

#include <cstdint>
#include <gst/gst.h>

namespace vigil::monitor {

// Why a camera is offline.
inline constexpr const char *no_key_frame = "no key frame came for 11 seconds; the stream is taken without "
                                            "one, and its first pictures may be damaged";
inline constexpr const char *all_damaged =
    "the decoder calls all pictures of the last 11 seconds damaged; they are taken as they are";

class DecoderGate {
 public:
  explicit DecoderGate(GstElement *pipeline) : pipeline_(pipeline) {}

  // The queue before the decoder, which never blocks: what is given to it is limited here.
  void use(GstElement *queue) { queue_ = queue; }
  bool has_decoder() const { return queue_ != nullptr; } // else pictures come raw

  // On the thread before the decoder.
  bool passes_frame(const GstBuffer *);
  // On the decoder's thread. Takes the mark of damage off a picture that is taken as whole.
  bool passes_picture(GstPadProbeInfo *);

  std::uint64_t dropped() const { return key_gate_.dropped() + damage_gate_.dropped(); } // from any thread

 private:
  GstElement *const pipeline_;
  GstElement *queue_ = nullptr; // set before the first frame comes
  KeyGate key_gate_;            // the thread's before the decoder
  // The decoder's thread's:
  DamageGate damage_gate_;
  bool all_damaged_reported_ = false;
};

} // namespace vigil::monitor
