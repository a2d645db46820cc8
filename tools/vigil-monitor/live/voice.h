// SPDX-License-Identifier: LGPL-2.1-or-later
// Somebody who speaks by WebRTC, as packets of RTP for a camera:
//
//   webrtcbin ! depayloader [ ! decoder ! encoder ] ! queue ! payloader ! packets
//
// It is encoded again only where the browser does not offer the camera's form of G.711.
#pragma once

#include "g711.h"
#include "web_connection.h"

#include <functional>
#include <memory>
#include <string>

namespace vigil::monitor {

class Voice {
 public:
  struct Wish {
    Offer offer;
    bool on_this_machine = false;
  };
  // On a thread of its own, which may wait: what comes meanwhile, beyond half a second, is lost.
  using Packets = std::function<void(GstSample *)>;
  // Throws Error. The offer has G.711.
  Voice(const Wish &, const WebRtcConfig &, const SpeechForm &, Packets);
  ~Voice();                             // waits for GStreamer, and for `Packets`
  static void need_g711(const Offer &); // throws WebRefused

  const std::string &answer() const { return answer_; }
  void candidate(const std::string &line); // as WebConnection's
  std::string over(double now) const;      // why; empty: it goes on

  static constexpr double longest_silence = 5; // seconds without a packet; a silent microphone sends some

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::string answer_;
};

} // namespace vigil::monitor
