// SPDX-License-Identifier: LGPL-2.1-or-later
// The server's end of a connection of WebRTC: GStreamer's webrtcbin in a pipeline, to which its owner adds
// what is sent or received.
//
// It answers; it never offers. Without TURN it sends to nobody who has not sent to it first, with the
// password of its answer: candidates of the browser are not used.
#pragma once

#include "../config/config.h"
#include "offer.h"

#include <functional>
#include <gst/gst.h>
#include <memory>
#include <string>
#include <vector>

namespace vigil::monitor {

// Why a browser gets no connection: a status of HTTP, and words.
struct WebRefused {
  int status;
  std::string what;
};

class WebConnection {
 public:
  // Why there is no WebRTC here; empty: there is.
  static std::string missing();
  // Loads what the first connection would wait for. GStreamer makes the certificate of all of them with it.
  static void prepare();

  struct News {                            // on threads of GStreamer
    std::function<void()> connected;       // once
    std::function<void(GstPad *)> arrives; // what the browser sends, as RTP
  };
  // Throws Error.
  WebConnection(const WebRtcConfig &, bool on_this_machine, News);
  ~WebConnection(); // waits for GStreamer
  WebConnection(const WebConnection &) = delete;
  WebConnection &operator=(const WebConnection &) = delete;

  GstElement *pipeline() const;
  GstElement *webrtcbin() const;
  // Begins, with what was added until then; the answer as SDP. Throws Error. It can take as long as servers
  // of STUN and TURN take to answer.
  std::string negotiate(const Offer &, const std::vector<Offer::Choice> &);
  void candidate(const std::string &line); // of the browser; used with TURN alone

  void heard(); // of the browser, on any thread
  bool connected() const;
  // Why it is over, by the monotonic clock; empty: it goes on. `silence`: seconds without a word of the
  // browser.
  std::string over(double now, double silence) const;

  static constexpr double to_connect = 15; // seconds until a connection must be made

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace vigil::monitor
