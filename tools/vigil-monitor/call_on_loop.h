// SPDX-License-Identifier: LGPL-2.1-or-later
// A question of one thread to another, which answers when its turn comes.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace vigil::monitor {

// Hands f to `post`, which runs it once on another thread at some time, and waits for it. Returns what f
// returns and throws what f throws. Throws std::runtime_error when f was not begun within `patience`: then it
// is never run, since what it refers to on the caller's stack may be gone by its turn. When f has begun, its
// end is waited for, however long that takes.
template <class Post, class F>
auto ask(const Post &post, F f, std::chrono::milliseconds patience) -> decltype(f()) {
  using Result = decltype(f());
  struct Question {
    explicit Question(F &&q) : task(std::move(q)) {}
    std::packaged_task<Result()> task;
    std::mutex lock; // held while the task runs
    bool withdrawn = false;
  };
  const auto question = std::make_shared<Question>(std::move(f));
  auto answer = question->task.get_future();
  post([question] {
    const std::lock_guard guard(question->lock);
    if (!question->withdrawn) question->task();
  });
  if (answer.wait_for(patience) != std::future_status::ready) {
    const std::lock_guard guard(question->lock);
    question->withdrawn = answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    if (question->withdrawn) throw std::runtime_error("the program is busy; try again");
  }
  return answer.get();
}

} // namespace vigil::monitor
