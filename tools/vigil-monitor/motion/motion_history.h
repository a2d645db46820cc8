// SPDX-License-Identifier: LGPL-2.1-or-later
// Which cells of the picture moved, for each camera and second, in the database motion.db: a row a minute in
// which something moved (motion_minute.h). It answers what moved where without looking at pictures.
//
// The code that sees motion calls add(), which only collects in memory; store() writes what has been
// collected. All methods may be called from any thread. Rows that are damaged are left out.
#pragma once

#include "../store/read_connections.h"
#include "../store/sqlite.h"
#include "motion_minute.h"
#include "motion_search.h"
#include "restless_parts.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vigil::monitor {

class MotionHistory {
 public:
  using Log = std::function<void(const std::string &)>;
  static constexpr double longest_search = 31 * 86400.; // seconds
  static constexpr std::size_t most_levels = 20000;     // in one answer
  static constexpr std::size_t most_hits = 1000;        // in one answer
  static constexpr int often = 20;                      // seconds between two calls of store()
  // What waits while the disk takes nothing: a minute of 1600 cameras on which all moves.
  static constexpr std::size_t most_waiting = 100000;

  // Makes the file. A damaged one is moved aside, and `log` says so. Throws Error::io or Error::write.
  MotionHistory(std::string path, Log log,
                std::chrono::milliseconds budget = ReadConnections::default_budget);

  void add(const std::string &camera, const MovedSeconds &);
  // On the disk when it returns. Throws Error::write; what could not be stored waits for the next call. Where
  // more than most_waiting seconds wait, the oldest are left out.
  void store();

  // How much moved from `from` on, in steps of `step` seconds, as many as begin before `to`: 0 where nothing
  // did, else the largest share of the picture's cells within a second, from 1 to 255. What is not stored yet
  // is not in it. Throws Error::bad_setting on times that make no sense or more than most_levels.
  std::vector<std::uint8_t> levels(const std::string &camera, double from, double to, double step) const;
  // When something moved in the polygon, the newest first. Throws Error::bad_setting on a polygon that is
  // none, and on times that make no sense or are further apart than longest_search.
  MotionSearch::Result search(const std::string &camera, const std::vector<Point> &polygon, double from,
                              double to, std::size_t limit = most_hits) const;

  // What moved in its place, all day before `now`: parts of the picture that a mask could hide. `known`:
  // cells that are masked already, or that are not to be. Throws as levels().
  std::vector<RestlessPart> restless(const std::string &camera, double now, const MovingCells &known) const;

  // Forgets what is older than these days, by the camera (0: no limit).
  void forget(double now, const std::function<double(const std::string &camera)> &days);

 private:
  struct Key { // of a row
    std::string camera;
    std::int64_t minute = 0; // since 1970 UTC
    auto operator<=>(const Key &) const = default;
  };
  using Waiting = std::map<Key, MotionMinute>;
  // Calls f(minute, its cells) until it returns false.
  void each_minute(const std::string &camera, double from, double to, bool newest_first,
                   const std::function<bool(std::int64_t, const MotionMinute &)> &f) const;
  void open();
  void write(const Waiting &);
  void set_aside(const std::string &why);

  const std::string path_;
  const Log log_;
  mutable std::atomic<bool> damaged_ = false; // as a reader found
  std::mutex waiting_lock_;
  Waiting waiting_;
  std::mutex write_lock_; // before waiting_lock_ where both are held
  std::unique_ptr<Sqlite> db_;
  ReadConnections readers_; // closed first: the writer then leaves one whole file
};

} // namespace vigil::monitor
