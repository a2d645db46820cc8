// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps one of a camera's streams connected, and its state true. For the main thread.
#pragma once

#include "camera_state.h"
#include "connection.h"

#include <functional>
#include <string>

namespace vigil::monitor {

class StreamKeeper {
 public:
  struct Calls {
    std::function<void()> build;     // a new connection; what it throws makes the stream offline
    std::function<void()> take_down; // the connection, where there is one
    std::function<void(const std::string &)> log;
  };
  StreamKeeper(Connection &, CameraState &, Calls);

  void start();
  void tick(bool enabled);           // once a second; disabled: a connection that ends is not followed
  void fail(const std::string &why); // the connection; another one is tried later
  void end(const std::string &why);  // what is played once, for good

 private:
  void build(bool again);

  Connection &connection_;
  CameraState &state_;
  const Calls calls_;
};

} // namespace vigil::monitor
