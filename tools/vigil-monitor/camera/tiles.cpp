// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tiles.h"

#include <algorithm>

namespace vigil::monitor {

std::optional<View> view_named(std::string_view name) {
  const auto *found = std::find(view_names.begin(), view_names.end(), name);
  if (found == view_names.end()) return std::nullopt;
  return static_cast<View>(found - view_names.begin());
}

void TilePlan::demand(unsigned views) {
  const std::lock_guard guard(lock_);
  wanted_ = views;
}

void TilePlan::once(View v) {
  const std::lock_guard guard(lock_);
  once_ |= 1u << static_cast<unsigned>(v);
}

bool TilePlan::wants(View v) const {
  const std::lock_guard guard(lock_);
  return (wanted_ | once_) >> static_cast<unsigned>(v) & 1;
}

bool TilePlan::take_once(View v) {
  const std::lock_guard guard(lock_);
  const unsigned bit = 1u << static_cast<unsigned>(v), before = once_;
  once_ &= ~bit;
  return before & bit;
}

std::optional<View> TilePlan::frame(std::int64_t now, std::uint64_t running, bool analysed) {
  const std::lock_guard guard(lock_);
  // Frames come a little early or late: a quarter of the period is no reason to wait for the next.
  const std::int64_t slack = period_ns_ / 4;
  std::optional<unsigned> best;
  for (unsigned v = 0; v < last_.size(); v++) {
    const auto view = static_cast<View>(v);
    if (!analysed && view != View::plain && view != View::uncovered) continue;
    const bool due = (once_ >> v & 1) || ((wanted_ >> v & 1) && now - last_[v] >= period_ns_ - slack);
    if (due && (!best || last_[v] < last_[*best])) best = v;
  }
  Planned &planned = ring_[next_++ % ring_.size()];
  planned = {running, std::nullopt};
  if (!best) return std::nullopt;
  // The next is due a period after this one was due, not after it came, so that the rate is kept on average.
  last_[*best] = now - last_[*best] < 2 * period_ns_ ? std::max(last_[*best] + period_ns_, now - slack) : now;
  once_ &= ~(1u << *best);
  planned.view = static_cast<View>(*best);
  return planned.view;
}

std::optional<View> TilePlan::planned(std::uint64_t running) const {
  const std::lock_guard guard(lock_);
  if (running == UINT64_MAX) return std::nullopt;
  for (std::size_t back = 1; back <= ring_.size(); back++)
    if (const Planned &p = ring_[(next_ - back) % ring_.size()]; p.running == running) return p.view;
  return std::nullopt;
}

void TilePlan::forget() {
  const std::lock_guard guard(lock_);
  ring_.fill({});
}

} // namespace vigil::monitor
