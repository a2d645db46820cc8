// SPDX-License-Identifier: LGPL-2.1-or-later
// The RtpStream of each camera's stream, which all of its viewers share. It lasts as long as one of them.
#pragma once

#include "../camera/recorder.h"
#include "rtp_stream.h"

#include <map>
#include <memory>
#include <mutex>

namespace vigil::monitor {

class RtpSenders {
 public:
  struct Sender {
    std::shared_ptr<Recorder> recorder;
    std::shared_ptr<RtpStream> stream;
    ~Sender();
  };
  // Null: there is nothing now that could be sent.
  std::shared_ptr<Sender> sender(const std::shared_ptr<Recorder> &);

 private:
  std::mutex lock_; // held while one is made
  std::map<const Recorder *, std::weak_ptr<Sender>> senders_;
};

} // namespace vigil::monitor
