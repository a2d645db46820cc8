// SPDX-License-Identifier: LGPL-2.1-or-later
// How many live streams somebody has open.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace vigil::monitor {

class Streams {
 public:
  static constexpr std::size_t most_of_one = 8;
  // A place that lasts as long as what is returned; null when `who` has `most` already.
  std::shared_ptr<void> take(const std::string &who, std::size_t most);

 private:
  struct Open {
    std::mutex lock;
    std::map<std::string, std::size_t> of;
  };
  std::shared_ptr<Open> open_ = std::make_shared<Open>(); // a stream may outlive this object
};

inline std::shared_ptr<void> Streams::take(const std::string &who, std::size_t most) {
  const std::lock_guard guard(open_->lock);
  std::size_t &n = open_->of[who];
  if (n >= most) return nullptr;
  n++;
  // What it points to is of no use but not to be null.
  return std::shared_ptr<void>(open_.get(), [open = open_, who](void *) {
    const std::lock_guard again(open->lock);
    if (--open->of[who] == 0) open->of.erase(who);
  });
}

} // namespace vigil::monitor
