// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread that works off a bounded queue of tasks, in order. The error of a task goes to `failed`.
#pragma once

#include "common/guarded.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace vigil::monitor {

class Worker {
 public:
  using Task = std::function<void()>;
  explicit Worker(std::size_t limit, std::function<void(const std::string &)> failed)
      : limit_(limit), failed_(std::move(failed)), thread_([this] { run(); }) {}
  ~Worker() { stop(); }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  // False when the queue is full, and the task was not taken. For what may be left out, or comes again.
  bool add(Task t) { return put(std::move(t), limit_); }
  // The same for what must not be lost: there is room for many times as much before it is refused.
  bool add_needed(Task t) { return put(std::move(t), needed * limit_); }
  // Works off what there is, then ends.
  void stop() {
    {
      const std::lock_guard held(lock_);
      ended_ = true;
      more_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
  }
  std::size_t length() const {
    const std::lock_guard held(lock_);
    return tasks_.size();
  }
  std::size_t limit() const { return limit_; }

 private:
  static constexpr std::size_t needed = 25;
  bool put(Task t, std::size_t limit) {
    const std::lock_guard held(lock_);
    if (ended_ || tasks_.size() >= limit) return false;
    tasks_.push_back(std::move(t));
    more_.notify_one();
    return true;
  }
  void run() {
    std::unique_lock held(lock_);
    for (;;) {
      more_.wait(held, [this] { return ended_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      held.unlock();
      guard("a task", [&] {
        try {
          task();
        } catch (const std::exception &e) {
          failed_(e.what());
        }
        task = nullptr;
      });
      held.lock();
    }
  }

  const std::size_t limit_;
  const std::function<void(const std::string &)> failed_;
  mutable std::mutex lock_;
  std::condition_variable more_;
  std::deque<Task> tasks_;
  bool ended_ = false;
  std::thread thread_; // last: it uses the others
};

} // namespace vigil::monitor
