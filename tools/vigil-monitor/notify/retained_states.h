// SPDX-License-Identifier: LGPL-2.1-or-later
// The last state of each topic, and which of them the broker does not know yet. A state is sent when the one
// before it was acknowledged, and few are under way at a time: a broker that acknowledges nothing gets no
// more than these, however often states change.
#pragma once

#include "topics.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace vigil::monitor {

class RetainedStates {
 public:
  static constexpr std::size_t most_under_way = 32;

  void set(const Topic &t) { // from any thread
    const std::lock_guard held(lock_);
    const auto [now, is_new] = states_.try_emplace(t.topic, t.payload);
    if (!is_new && now->second == t.payload) return;
    now->second = t.payload;
    changed_.insert(t.topic);
  }
  // At a new connection: the broker may know none of them.
  void connected() {
    const std::lock_guard held(lock_);
    under_way_.clear();
    for (const auto &[topic, payload] : states_) changed_.insert(topic);
  }
  // One to send now; it counts as under way until acknowledged() or not_sent().
  std::optional<Topic> next() {
    const std::lock_guard held(lock_);
    if (under_way_.size() >= most_under_way) return std::nullopt;
    for (auto t = changed_.begin(); t != changed_.end(); ++t) {
      if (under_way_.count(*t)) continue;
      Topic out{*t, states_[*t]};
      under_way_.insert(*t);
      changed_.erase(t);
      return out;
    }
    return std::nullopt;
  }
  void acknowledged(const std::string &topic) {
    const std::lock_guard held(lock_);
    under_way_.erase(topic);
  }
  void not_sent(const std::string &topic) {
    const std::lock_guard held(lock_);
    under_way_.erase(topic);
    changed_.insert(topic);
  }

 private:
  std::mutex lock_;
  std::map<std::string, std::string> states_; // by topic
  std::set<std::string> changed_, under_way_;
};

} // namespace vigil::monitor
