// SPDX-License-Identifier: LGPL-2.1-or-later
// The events that were deleted last. News of one that the database does not know are either of a deleted
// event, whose files go, or of one that could not be stored when it began, which is kept.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_set>

namespace vigil::monitor {

class DeletedEvents {
 public:
  static constexpr std::size_t most = 100'000; // far more than are deleted while one event goes on

  void add(const std::string &id) {
    const std::lock_guard guard(lock_);
    if (!known_.insert(id).second) return;
    order_.push_back(id);
    if (order_.size() <= most) return;
    known_.erase(order_.front());
    order_.pop_front();
  }
  bool has(const std::string &id) const {
    const std::lock_guard guard(lock_);
    return known_.contains(id);
  }

 private:
  mutable std::mutex lock_;
  std::deque<std::string> order_;
  std::unordered_set<std::string> known_;
};

} // namespace vigil::monitor
