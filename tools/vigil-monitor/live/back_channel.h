// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's loudspeaker: the back channel of ONVIF's streaming by RTSP. It has a connection of its own,
// since a camera without a back channel refuses a connection that asks for one.
#pragma once

#include "loudspeaker.h"

namespace vigil::monitor {

class BackChannel : public Loudspeaker {
 public:
  // The camera sends nothing then.
  static Look look(const std::string &address, const Wanted &);

  BackChannel(const std::string &address, const Wanted &);
  ~BackChannel() override;
  SpeechForm form() const override;
  void end() override;

 private:
  void send(GstSample *) override;
  std::string why_over() const override;
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

} // namespace vigil::monitor
