// SPDX-License-Identifier: LGPL-2.1-or-later
// Speech to an address that takes it by ANNOUNCE and RECORD (RFC 2326), over the connection of RTSP itself.
// GStreamer's rtspclientsink is not used: it follows an answer that sends on to another host, and announces
// only when somebody has begun to speak.
#pragma once

#include "loudspeaker.h"

namespace vigil::monitor {

class Announcement : public Loudspeaker {
 public:
  // Asks for OPTIONS alone: ANNOUNCE could make a device ring.
  static Look look(const std::string &address, const Wanted &);

  Announcement(const std::string &address, const Wanted &);
  ~Announcement() override;
  SpeechForm form() const override;
  void end() override;

 private:
  void send(GstSample *) override;
  std::string why_over() const override;
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

} // namespace vigil::monitor
