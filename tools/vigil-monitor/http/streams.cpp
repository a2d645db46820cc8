// SPDX-License-Identifier: LGPL-2.1-or-later
#include "streams.h"

namespace vigil::monitor {

std::shared_ptr<void> Streams::take(const std::string &who, std::size_t most) {
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
