// SPDX-License-Identifier: LGPL-2.1-or-later
#include "read_connections.h"

#include "common/error.h"

#include <utility>

namespace vigil::monitor {
namespace {

constexpr int most_connections = 4;

[[noreturn]] void too_long() {
  fail(Error::Kind::io, "the database did not answer in time; ask for less, or try again");
}

} // namespace

ReadConnections::Lease::Lease(const ReadConnections &owner, std::unique_ptr<Sqlite> db, int generation,
                              Clock::time_point end)
    : owner_(owner), db_(std::move(db)), generation_(generation), end_(end) {
  constexpr int instructions = 1000; // of SQLite's machine, between two looks at the clock
  // Not guarded: it reads a clock, and throws nothing.
  sqlite3_progress_handler(
      db_->get(), instructions,
      [](void *last) { return int(Clock::now() > *static_cast<Clock::time_point *>(last)); }, &end_);
}

ReadConnections::Lease::~Lease() {
  // Nothing to be guarded: the handler goes.
  sqlite3_progress_handler(db_->get(), 0, nullptr, nullptr);
  {
    const std::lock_guard guard(owner_.lock_);
    if (generation_ == owner_.generation_)
      owner_.idle_.push_back(std::move(db_));
    else
      owner_.made_--;
  }
  owner_.returned_.notify_one();
}

bool ReadConnections::Lease::step(Statement &s) const {
  if (Clock::now() > end_) too_long();
  return s.step();
}

ReadConnections::ReadConnections(std::string path, std::chrono::milliseconds budget)
    : path_(std::move(path)), budget_(budget) {}

ReadConnections::Lease ReadConnections::lease() const {
  const auto end = Lease::Clock::now() + budget_;
  std::unique_ptr<Sqlite> db;
  int generation = 0;
  {
    std::unique_lock guard(lock_);
    if (!returned_.wait_until(guard, end, [this] { return !idle_.empty() || made_ < most_connections; }))
      too_long();
    generation = generation_;
    if (!idle_.empty()) {
      db = std::move(idle_.back());
      idle_.pop_back();
    } else {
      made_++;
    }
  }
  if (!db) {
    try {
      db = std::make_unique<Sqlite>(path_, Sqlite::Mode::read_only);
    } catch (...) {
      const std::lock_guard guard(lock_);
      made_--;
      throw;
    }
  }
  return {*this, std::move(db), generation, end};
}

void ReadConnections::reopen() {
  const std::lock_guard guard(lock_);
  generation_++;
  made_ -= static_cast<int>(idle_.size());
  idle_.clear();
}

} // namespace vigil::monitor
