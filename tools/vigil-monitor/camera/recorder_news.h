// SPDX-License-Identifier: LGPL-2.1-or-later
// News of a stream's clips. They are collected with Recorder's lock held, and announced without it.
#pragma once

#include "clip_result.h"

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

// On any thread.
struct RecorderNews {
  std::function<void(const std::string &event, const ClipResult &)> finished; // once for each that began
  // The stream goes on as another one, of another size, say, which their files cannot hold.
  std::function<void(const std::vector<std::string> &events)> broke_off;
  std::function<void(const std::string &text)> warning;
  // In the place of finished: this part of the recording is to be the event's clip.
  std::function<void(const std::string &event, const ClipSpan &)> over = {};
};

class PendingNews {
 public:
  explicit PendingNews(RecorderNews news) : news_(std::move(news)) {}

  // With the lock held:
  void unwritten(std::string event, const char *why) { unwritten_.emplace_back(std::move(event), why); }
  void forget_last_unwritten() { unwritten_.pop_back(); }
  void over(std::string event, const ClipSpan &span) { over_.emplace_back(std::move(event), span); }
  void warn(std::string text) { warning_ = std::move(text); }

  // Announces what was collected; releases the lock for that.
  void announce(std::unique_lock<std::mutex> &);
  const RecorderNews &receivers() const { return news_; }

 private:
  const RecorderNews news_;
  // Clips that ended before their first frame, and why:
  std::vector<std::pair<std::string, std::string>> unwritten_;
  std::vector<std::pair<std::string, ClipSpan>> over_; // parts of the recording that have ended
  std::optional<std::string> warning_;
};

inline void PendingNews::announce(std::unique_lock<std::mutex> &guard) {
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
