// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of web_connection.cpp, web_peer.cpp and voice.cpp in builds without GStreamer's library for
// WebRTC.
#include "common/error.h"
#include "voice.h"
#include "web_peer.h"

namespace vigil::monitor {

std::string WebConnection::missing() {
  return "vigil-monitor was built without WebRTC (it needs gstreamer-webrtc-1.0)";
}
void WebConnection::prepare() {}

struct WebPeer::Impl {};

std::shared_ptr<WebPeer> WebPeer::make(const Wish &, const WebRtcConfig &, std::shared_ptr<RtpStream>,
                                       Later) {
  fail(Error::Kind::no_device, WebConnection::missing());
}
WebPeer::WebPeer() = default;
WebPeer::~WebPeer() = default;
void WebPeer::candidate(const std::string &) {}
std::string WebPeer::over(double) const {
  return WebConnection::missing();
}
bool WebPeer::connected() const {
  return false;
}
void WebPeer::picture(const RtpUnitPtr &) {}
void WebPeer::sound(const RtpUnitPtr &) {}

struct Voice::Impl {};

Voice::Voice(const Wish &, const WebRtcConfig &, const SpeechForm &, Packets) {
  fail(Error::Kind::no_device, WebConnection::missing());
}
Voice::~Voice() = default;
void Voice::candidate(const std::string &) {}
std::string Voice::over(double) const {
  return WebConnection::missing();
}

} // namespace vigil::monitor
