// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's loudspeaker: the back channel of ONVIF's streaming by RTSP. It has a connection of its own,
// since a camera without a back channel refuses a connection that asks for one.
#pragma once

#include "g711.h"

#include <functional>
#include <gst/gst.h>
#include <memory>
#include <optional>
#include <string>

namespace vigil::monitor {

class BackChannel {
 public:
  struct Look {
    std::optional<SpeechForm> form; // that the camera asks for
    std::string why;                // there is none
    bool answered = false;          // the camera did
  };
  // Asks the camera, which then sends nothing; on any thread, which waits. `wanted`: asked again and again;
  // false ends it.
  static Look look(const std::string &address, const std::function<bool()> &wanted);

  // Connects, on any thread, which waits; `wanted` as above. Throws Error.
  BackChannel(const std::string &address, const std::function<bool()> &wanted);
  ~BackChannel(); // waits for GStreamer
  BackChannel(const BackChannel &) = delete;
  BackChannel &operator=(const BackChannel &) = delete;

  const SpeechForm &form() const;
  void push(GstSample *);             // a packet of RTP; waits as long as the camera takes none
  void end();                         // on any thread: push() returns soon
  std::string over(double now) const; // why; empty: it goes on

  static constexpr double longest_look = 10; // seconds for the camera's answers
  static constexpr double longest_push = 5;  // seconds in which the camera takes nothing

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

} // namespace vigil::monitor
