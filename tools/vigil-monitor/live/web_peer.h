// SPDX-License-Identifier: LGPL-2.1-or-later
// One viewer of WebRTC: GStreamer's webrtcbin, which gets the packets that an RtpStream makes for all.
//
//   pictures ! webrtcbin      sound ! webrtcbin
//
// It answers; it never offers. Without TURN it sends to nobody who has not sent to it first, with the
// password of its answer: candidates of the viewer are not used.
#pragma once

#include "../config/config.h"
#include "offer.h"
#include "rtp_stream.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vigil::monitor {

class WebPeer final : public RtpViewer {
 public:
  // Why there is no WebRTC here; empty: there is.
  static std::string missing();
  // Loads what the first viewer would wait for. GStreamer makes the certificate of all connections with it.
  static void prepare();

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

  // Seconds: until a connection must be made, and without a word of the viewer after that.
  static constexpr double to_connect = 15, longest_silence = 15;

 private:
  struct Impl;
  WebPeer();
  std::unique_ptr<Impl> impl_;
  std::string answer_;
};

} // namespace vigil::monitor
