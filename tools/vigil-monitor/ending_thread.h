// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread whose end is waited for with a time limit: the call that it waits for may hang, as the look-up of
// a host name does.
#pragma once

#include "common/guarded.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace vigil::monitor {

class EndingThread {
 public:
  EndingThread() = default;
  ~EndingThread() {
    if (thread_.joinable()) thread_.join();
  }
  EndingThread(const EndingThread &) = delete;
  EndingThread &operator=(const EndingThread &) = delete;

  // Once. `name` says in the log where an exception came from.
  void begin(std::string name, std::function<void()> run) {
    thread_ = std::thread([this, name = std::move(name), run = std::move(run)] {
      guard(name, run);
      const std::lock_guard held(lock_);
      ended_ = true;
      end_.notify_all();
    });
  }

  // False when it has not ended within the time; it goes on then, and still uses what it was given.
  bool ends_within(std::chrono::milliseconds patience) {
    if (!thread_.joinable()) return true;
    std::unique_lock held(lock_);
    return end_.wait_for(held, patience, [this] { return ended_; });
  }

 private:
  std::mutex lock_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

} // namespace vigil::monitor
