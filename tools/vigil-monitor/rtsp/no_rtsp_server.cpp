// SPDX-License-Identifier: LGPL-2.1-or-later
// In the place of rtsp_server.cpp in builds without GStreamer's RTSP server.
#include "common/error.h"
#include "rtsp_server.h"

namespace vigil::monitor {

struct RtspServer::Impl {};

RtspServer::RtspServer(const RtspSettings &, Access &, std::function<RtspSources(const std::string &)>,
                       std::function<void(const std::string &)>) {
  fail(Error::Kind::bad_setting,
       "rtsp: this build has no RTSP server; build it with gstreamer-rtsp-server-1.0 "
       "(Debian: libgstrtspserver-1.0-dev), or take out rtsp:");
}
RtspServer::~RtspServer() = default;
void RtspServer::set_cameras(const std::vector<std::string> &) {}
bool RtspServer::end(std::chrono::milliseconds) {
  return true;
}
int RtspServer::clients() const {
  return 0;
}
int RtspServer::port() const {
  return 0;
}

} // namespace vigil::monitor
