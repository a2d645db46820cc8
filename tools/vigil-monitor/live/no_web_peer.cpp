// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of web_peer.cpp in builds without GStreamer's library for WebRTC.
#include "web_peer.h"

#include "common/error.h"

namespace vigil::monitor {

struct WebPeer::Impl {};

std::string WebPeer::missing() {
  return "vigil-monitor was built without WebRTC (it needs gstreamer-webrtc-1.0)";
}
void WebPeer::prepare() {}
std::shared_ptr<WebPeer> WebPeer::make(const Wish &, const WebRtcConfig &, std::shared_ptr<RtpStream>,
                                       Later) {
  fail(Error::Kind::no_device, missing());
}
WebPeer::WebPeer() = default;
WebPeer::~WebPeer() = default;
void WebPeer::candidate(const std::string &) {}
std::string WebPeer::over(double) const {
  return missing();
}
bool WebPeer::connected() const {
  return false;
}
void WebPeer::picture(const RtpUnitPtr &) {}
void WebPeer::sound(const RtpUnitPtr &) {}

} // namespace vigil::monitor
