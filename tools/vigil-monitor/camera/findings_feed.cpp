// SPDX-License-Identifier: LGPL-2.1-or-later
#include "findings_feed.h"

#include <cstdint>
#include <utility>

namespace vigil::monitor {

std::shared_ptr<void> FindingsFeed::listen(Listener listener) {
  const std::lock_guard guard(shared_->lock);
  const std::uint64_t id = shared_->next++;
  shared_->listeners.emplace(id, std::move(listener));
  shared_->count = shared_->listeners.size();
  return std::shared_ptr<void>(nullptr, [shared = shared_, id](void *) {
    const std::lock_guard held(shared->lock);
    shared->listeners.erase(id);
    shared->count = shared->listeners.size();
  });
}

void FindingsFeed::put(const Bytes &document, double captured) {
  const std::lock_guard guard(shared_->lock);
  for (const auto &[id, listener] : shared_->listeners) listener(document, captured);
}

} // namespace vigil::monitor
