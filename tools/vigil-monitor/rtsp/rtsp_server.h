// SPDX-License-Identifier: LGPL-2.1-or-later
// Cameras by RTSP for other programs: rtsp://ADDRESS:PORT/CAMERA has the camera's stream as it comes, and
// what is found in it as ONVIF's metadata stream. By TCP alone, inside the connection.
//
// Its threads are GStreamer's: one for each connection, and one that accepts them. Connections end when their
// visitor loses a right, when the camera's stream ends, and when they are idle or do not read.
#pragma once

#include "../camera/findings_feed.h"
#include "../http/access.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vigil::monitor {

class Recorder;

struct RtspSettings {
  std::string address;
  int port = 0;
  int most_clients = 16;
  std::string certificate, key; // PEM files; empty: no TLS
};

// Where a camera's stream and findings come from; without a recorder the camera is not connected.
struct RtspSources {
  std::shared_ptr<Recorder> recorder;
  std::shared_ptr<FindingsFeed> findings;
};

class RtspServer {
 public:
  // Connections of one address at most, and seconds.
  static constexpr std::size_t most_of_one = 8;
  static constexpr double strangers_within = 10, idle_within = 60, unread_within = 20;

  // `sources`: of a camera by its name, on any thread. Throws Error::io when the address cannot be listened
  // on, and Error::bad_setting in a build without RTSP.
  RtspServer(const RtspSettings &, Access &, std::function<RtspSources(const std::string &camera)> sources,
             std::function<void(const std::string &)> log);
  ~RtspServer();
  RtspServer(const RtspServer &) = delete;
  RtspServer &operator=(const RtspServer &) = delete;

  void set_cameras(const std::vector<std::string> &names); // on the main thread
  int port() const;
  int clients() const; // connections; on any thread
  // Ends all connections. False when some do not end within the time; they still use what they were given.
  bool end(std::chrono::milliseconds patience);
  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

} // namespace vigil::monitor
