// SPDX-License-Identifier: LGPL-2.1-or-later
#include "latest.h"

#include "common/guarded.h"

#include <cstdint>
#include <exception>
#include <utility>

namespace vigil::monitor {

Latest::Latest(std::function<nlohmann::json()> find)
    : find_(std::move(find)), thread_([this] { guard("figures of the disk", [this] { run(); }); }) {}

Latest::~Latest() {
  {
    const std::lock_guard guard(lock_);
    ended_ = true;
  }
  wanted_.notify_all();
  found_.notify_all();
  thread_.join();
}

nlohmann::json Latest::get(std::chrono::milliseconds patience) {
  std::unique_lock guard(lock_);
  const std::uint64_t mine = ++asked_;
  wanted_.notify_one();
  found_.wait_for(guard, patience, [&] { return ended_ || done_ >= mine; });
  return last_;
}

void Latest::run() {
  std::unique_lock guard(lock_);
  for (;;) {
    wanted_.wait(guard, [this] { return ended_ || done_ < asked_; });
    if (ended_) return;
    const std::uint64_t all = asked_;
    guard.unlock();
    nlohmann::json found;
    try {
      found = find_();
    } catch (const std::exception &) { // what was found last goes on to hold
    }
    guard.lock();
    done_ = all;
    if (!found.is_null()) last_ = std::move(found);
    found_.notify_all();
  }
}

} // namespace vigil::monitor
