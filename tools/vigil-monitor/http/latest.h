// SPDX-License-Identifier: LGPL-2.1-or-later
// A figure that may take long to find out, as from a disk that does not answer: asked for on a thread of its
// own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace vigil::monitor {

class Latest {
 public:
  explicit Latest(std::function<nlohmann::json()> find);
  ~Latest();
  Latest(const Latest &) = delete;
  Latest &operator=(const Latest &) = delete;

  // What is found from now on, when that takes no longer than `patience`; else what was found last, null at
  // the beginning.
  nlohmann::json get(std::chrono::milliseconds patience);

 private:
  void run();
  const std::function<nlohmann::json()> find_;
  std::mutex lock_;
  std::condition_variable wanted_, found_;
  std::uint64_t asked_ = 0, done_ = 0; // numbers of questions
  bool ended_ = false;
  nlohmann::json last_;
  std::thread thread_; // last: it uses all above
};

} // namespace vigil::monitor
