// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deadlines.h"

#include <sys/socket.h>

namespace vigil::monitor {

Deadlines::Deadlines(std::chrono::milliseconds patience) : patience_(patience), thread_([this] { run(); }) {}

Deadlines::~Deadlines() {
  {
    const std::lock_guard guard(lock_);
    ended_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Deadlines::expect_request(const void *connection, int socket) {
  const std::lock_guard guard(lock_);
  expected_[connection] = {socket, Clock::now() + patience_};
}

void Deadlines::has_request(const void *connection) {
  const std::lock_guard guard(lock_);
  expected_.erase(connection);
}

void Deadlines::gone(const void *connection) {
  has_request(connection);
}

void Deadlines::run() {
  std::unique_lock guard(lock_);
  while (!wake_.wait_for(guard, patience_ / 8, [this] { return ended_; })) {
    const auto now = Clock::now();
    std::erase_if(expected_, [&](const auto &e) {
      if (now < e.second.until) return false;
      shutdown(e.second.socket, SHUT_RDWR); // the server sees the end of the connection, and closes it
      return true;
    });
  }
}

} // namespace vigil::monitor
