// SPDX-License-Identifier: LGPL-2.1-or-later
// Files of the storage folder that were moved aside or could not be read: logged, and shown on the page
// (RetentionPass::stats). On any thread; the lock is held for moments.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

class StorageReports {
 public:
  explicit StorageReports(std::function<void(const std::string &)> log) : log_(std::move(log)) {}

  void add(const std::string &what) {
    log_(what);
    constexpr std::size_t most = 100;
    const std::lock_guard guard(lock_);
    if (all_.size() < most) all_.push_back(what);
  }
  std::vector<std::string> all() const {
    const std::lock_guard guard(lock_);
    return all_;
  }

 private:
  const std::function<void(const std::string &)> log_;
  mutable std::mutex lock_;
  std::vector<std::string> all_;
};

} // namespace vigil::monitor
