// SPDX-License-Identifier: LGPL-2.1-or-later
// Where speech to a camera goes: its back channel, or an address that takes sound by ANNOUNCE.
#pragma once

#include "g711.h"

#include <atomic>
#include <functional>
#include <gst/gst.h>
#include <memory>
#include <optional>
#include <string>

namespace vigil::monitor {

class Loudspeaker {
 public:
  struct Target {
    std::string address;
    bool announced = false; // else it is a stream of the camera, with a back channel
    bool operator==(const Target &) const = default;
  };
  struct Look {
    std::optional<SpeechForm> form; // that is taken there
    std::string why;                // there is none
    bool answered = false;          // there was an answer
  };
  using Wanted = std::function<bool()>; // asked again and again; false ends the waiting

  // Asks without a stream or a session; on any thread, which waits.
  static Look look(const Target &, const Wanted &);
  // Connects, on any thread, which waits. Throws Error.
  static std::shared_ptr<Loudspeaker> open(const Target &, const Wanted &);

  virtual ~Loudspeaker() = default; // waits for the network
  Loudspeaker(const Loudspeaker &) = delete;
  Loudspeaker &operator=(const Loudspeaker &) = delete;

  virtual SpeechForm form() const = 0;
  virtual void end() = 0;             // on any thread: push() returns soon
  void push(GstSample *);             // a packet of RTP; waits as long as none is taken
  std::string over(double now) const; // why; empty: it goes on

  static constexpr double longest_look = 10; // seconds for the answers
  static constexpr double longest_push = 5;  // seconds in which nothing is taken

 protected:
  Loudspeaker() = default;

 private:
  virtual void send(GstSample *) = 0;
  virtual std::string why_over() const = 0; // empty: it goes on
  std::atomic<double> pushing_since_ = 0;   // 0: nothing is being sent
};

} // namespace vigil::monitor
