// SPDX-License-Identifier: LGPL-2.1-or-later
// Ends things whose end can hang, in a driver or in the network: each on a thread of its own, so that one
// that hangs holds up no other.
#pragma once

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

  // Without a thread to be had the task runs here.
  void add(Task task) {
    {
      const std::lock_guard guard(state_->lock);
      state_->running++;
    }
    // The thread may outlive this object: it owns the state.
    auto run = [state = state_, task = std::move(task)]() mutable {
      task();
      task = nullptr; // what it owns ends before it counts as done
      const std::lock_guard guard(state->lock);
      state->running--;
      state->done.notify_all();
    };
    try {
      std::thread(run).detach();
    } catch (const std::system_error &) {
      run();
    }
  }

  // Waits until all have ended; false when some have not within the time.
  bool wait(std::chrono::milliseconds patience) {
    std::unique_lock guard(state_->lock);
    return state_->done.wait_for(guard, patience, [this] { return state_->running == 0; });
  }

 private:
  struct State {
    std::mutex lock;
    std::condition_variable done;
    std::size_t running = 0;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

} // namespace vigil::monitor
