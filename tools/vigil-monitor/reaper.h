// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs tasks whose end can hang, in a driver, on a disk or in the network: each on a thread of its own, so
// that one that hangs holds up no other.
#pragma once

#include "common/guarded.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace vigil::monitor {

class Reaper {
 public:
  using Task = std::function<void()>;

  // The task runs and is destroyed on its thread. Without a thread to be had both happen here.
  void add(Task task) {
    if (!try_add(task)) task();
  }

  // Takes the task over, and leaves the caller's empty. False, and the task is as it was, when there is no
  // thread to be had.
  bool try_add(Task &task) {
    // The task is destroyed by name: the caller may hold this handle for longer than the thread runs. The
    // thread may outlive this object: it owns the state.
    const auto held = std::make_shared<Task>(std::move(task));
    {
      const std::lock_guard guard(state_->lock);
      state_->running++;
    }
    try {
      std::thread([state = state_, held] {
        guard("a thread of its own", [&] { (*held)(); });
        guard("a thread of its own", [&] { *held = nullptr; }); // what it owns ends before it counts as done
        state->ended();
      }).detach();
    } catch (const std::system_error &) {
      task = std::move(*held);
      state_->ended();
      return false;
    }
    return true;
  }

  // Waits until all have ended; false when some have not within the time.
  bool wait(std::chrono::milliseconds patience) {
    std::unique_lock guard(state_->lock);
    return state_->done.wait_for(guard, patience, [this] { return state_->running == 0; });
  }

  std::size_t running() const {
    const std::lock_guard guard(state_->lock);
    return state_->running;
  }

 private:
  struct State {
    std::mutex lock;
    std::condition_variable done;
    std::size_t running = 0;
    void ended() {
      const std::lock_guard guard(lock);
      running--;
      done.notify_all();
    }
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

} // namespace vigil::monitor
