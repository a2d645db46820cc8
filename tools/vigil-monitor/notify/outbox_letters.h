// SPDX-License-Identifier: LGPL-2.1-or-later
// The letters of the outbox in the database on their way to the broker: sent, acknowledged, and then taken
// out. A database that fails holds up nothing else. For the client's thread, except wake().
#pragma once

#include "../store/event_store.h"
#include "../store/outage.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace vigil::monitor {

class OutboxLetters {
 public:
  using Log = std::function<void(const std::string &)>;
  // The number of the message; none: it cannot be sent now.
  using Send = std::function<std::optional<int>(const Letter &)>;
  static constexpr std::size_t most_under_way = 16;

  OutboxLetters(EventStore &store, Log log) : store_(store), log_(std::move(log)) {}

  void wake() { more_ = true; } // there may be a letter to send; from any thread
  void connection_begins() { under_way_.clear(); }
  void acknowledged(int message);
  void exchange(const Send &); // with the database

 private:
  void send(const Send &);

  EventStore &store_;
  const Log log_;
  std::atomic<bool> more_ = true;
  std::map<int, std::int64_t> under_way_; // message to letter
  std::set<std::int64_t> delivered_;      // that the broker has and the database does not know of
  Outage database_;
  double again_ = 0; // the database is not asked before this time
};

} // namespace vigil::monitor
