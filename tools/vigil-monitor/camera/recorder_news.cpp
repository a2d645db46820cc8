// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recorder_news.h"

namespace vigil::monitor {

void PendingNews::announce(std::unique_lock<std::mutex> &guard) {
  const auto unwritten = std::exchange(unwritten_, {});
  const auto over = std::exchange(over_, {});
  const auto warning = std::exchange(warning_, std::nullopt);
  guard.unlock();
  if (warning) news_.warning(*warning);
  for (const auto &[event, why] : unwritten) {
    ClipResult result;
    result.why = why;
    news_.finished(event, result);
  }
  for (const auto &[event, span] : over) news_.over(event, span);
}

} // namespace vigil::monitor
