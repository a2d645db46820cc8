// SPDX-License-Identifier: LGPL-2.1-or-later
// Acts when something takes too long: this object has not been destroyed within the time.
#pragma once

#include "common/guarded.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace vigil::monitor {

class LastResort {
 public:
  LastResort(std::chrono::milliseconds patience, std::function<void()> act)
      : thread_([this, patience, act = std::move(act)] {
          guard("the end of the program", [&] {
            std::unique_lock held(lock_);
            if (!end_.wait_for(held, patience, [this] { return ended_; })) act();
          });
        }) {}
  ~LastResort() {
    {
      const std::lock_guard held(lock_);
      ended_ = true;
    }
    end_.notify_all();
    thread_.join();
  }
  LastResort(const LastResort &) = delete;
  LastResort &operator=(const LastResort &) = delete;

 private:
  std::mutex lock_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_; // last: it uses all above
};

} // namespace vigil::monitor
