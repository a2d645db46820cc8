// SPDX-License-Identifier: LGPL-2.1-or-later
// Ends connections whose request does not arrive whole in time. A time limit on silence alone can be met for
// ever by a client that sends a byte now and then; with enough such connections nobody else gets one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace vigil::monitor {

class Deadlines {
 public:
  explicit Deadlines(std::chrono::milliseconds patience);
  ~Deadlines();
  Deadlines(const Deadlines &) = delete;
  Deadlines &operator=(const Deadlines &) = delete;

  // `connection` only names it. The socket stays open until gone() has returned.
  void expect_request(const void *connection, int socket); // a new one, or the next on the same connection
  void has_request(const void *connection);                // its answer may take as long as it likes
  void gone(const void *connection);

 private:
  using Clock = std::chrono::steady_clock;
  struct Expected {
    int socket;
    Clock::time_point until;
  };
  void run();

  const std::chrono::milliseconds patience_;
  std::mutex lock_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::map<const void *, Expected> expected_;
  std::thread thread_; // last: it uses all above
};

} // namespace vigil::monitor
