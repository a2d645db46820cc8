// SPDX-License-Identifier: LGPL-2.1-or-later
// Read-only connections to a database, for questions of viewers: they wait for no writer, and no writer waits
// for them (SQLite's write-ahead log). All methods may be called from any thread.
//
// Each question has a budget of time. Beyond it, or while all connections are in use for that long, it throws
// Error::io, which the HTTP API answers with 503.
#pragma once

#include "sqlite.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vigil::monitor {

class ReadConnections {
 public:
  static constexpr std::chrono::milliseconds default_budget{2000};

  explicit ReadConnections(std::string path, std::chrono::milliseconds budget = default_budget);

  // One connection for one question, until its time is over.
  class Lease {
   public:
    ~Lease();
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    Sqlite &db() const { return *db_; }
    // True: there is a row. Throws Error::io when the time is over.
    bool step(Statement &) const;

   private:
    friend class ReadConnections;
    using Clock = std::chrono::steady_clock;
    Lease(const ReadConnections &, std::unique_ptr<Sqlite>, int generation, Clock::time_point end);
    const ReadConnections &owner_;
    std::unique_ptr<Sqlite> db_;
    const int generation_;
    Clock::time_point end_;
  };
  Lease lease() const;
  // The file was replaced: connections to the old one are used no more.
  void reopen();

 private:
  const std::string path_;
  const std::chrono::milliseconds budget_;
  mutable std::mutex lock_;
  mutable std::condition_variable returned_;
  mutable std::vector<std::unique_ptr<Sqlite>> idle_;
  mutable int made_ = 0, generation_ = 0;
};

} // namespace vigil::monitor
