// SPDX-License-Identifier: LGPL-2.1-or-later
// One viewer of WebRTC, who gets the packets that an RtpStream makes for all.
//
//   pictures ! webrtcbin      sound ! webrtcbin
#pragma once

#include "../config/config.h"
#include "offer.h"
#include "rtp_stream.h"
#include "web_connection.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vigil::monitor {

class WebPeer final : public RtpViewer {
 public:
  struct Wish {
    Offer offer;
    std::vector<Offer::Choice> choices; // pictures first; then sound, if it is to be had
    bool on_this_machine = false;
  };
  // Throws Error. It can take as long as servers of STUN and TURN take to answer. The last owner may be any
  // thread, also one of the viewer's own, which must not wait for its end: `later` runs that elsewhere.
  using Later = std::function<void(std::function<void()>)>;
  static std::shared_ptr<WebPeer> make(const Wish &, const WebRtcConfig &, std::shared_ptr<RtpStream>,
                                       Later later);
  ~WebPeer() override; // waits for GStreamer

  const std::string &answer() const { return answer_; }
  void candidate(const std::string &line); // of the viewer; used with TURN alone

  // Why it is over, by the monotonic clock; empty: it goes on.
  std::string over(double now) const;
  bool connected() const;

  void picture(const RtpUnitPtr &) override;
  void sound(const RtpUnitPtr &) override;

  static constexpr double longest_silence = 15; // seconds without a word of the viewer

 private:
  struct Impl;
  WebPeer();
  std::unique_ptr<Impl> impl_;
  std::string answer_;
};

} // namespace vigil::monitor
