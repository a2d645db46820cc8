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
#include <pthread.h>
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
    auto job = std::make_unique<Job>(Job{state_, std::move(task)});
    {
      const std::lock_guard guard(state_->lock);
      state_->running++;
    }
    if (!begin_detached(*job)) {
      task = std::move(job->task);
      state_->ended();
      return false;
    }
    job.release(); // its thread deletes it
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
  // The thread may outlive the reaper: it owns the state.
  struct Job {
    std::shared_ptr<State> state;
    Task task;
  };
  static void *run(void *given) {
    const std::unique_ptr<Job> job(static_cast<Job *>(given));
    guard("a thread of its own", [&] { job->task(); });
    guard("a thread of its own", [&] { job->task = nullptr; }); // its objects end before it counts as done
    job->state->ended();
    return nullptr;
  }
  // False when there is no thread to be had. The thread begins detached: std::thread::detach() may read the
  // memory of a thread that has ended meanwhile (glibc, bug 19951).
  static bool begin_detached(Job &job) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_t thread;
    const bool begun = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                       pthread_create(&thread, &attributes, run, &job) == 0;
    pthread_attr_destroy(&attributes);
    return begun;
  }

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

} // namespace vigil::monitor
