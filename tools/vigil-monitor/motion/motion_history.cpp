// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motion_history.h"

#include "../store/salvage.h"
#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr std::int64_t a_minute = 60;
constexpr std::size_t most_minutes = MotionHistory::most_waiting / a_minute;

// WITHOUT ROWID: the minutes of one camera lie together, so that a search reads them in one go.
constexpr const char *schema = "CREATE TABLE IF NOT EXISTS motion_minutes(camera TEXT NOT NULL, minute "
                               "INTEGER NOT NULL, cells BLOB NOT NULL,"
                               " PRIMARY KEY(camera, minute)) WITHOUT ROWID;";

std::int64_t minute_of(std::int64_t second) {
  return second >= 0 ? second / a_minute : (second - a_minute + 1) / a_minute;
}

void merge(MotionMinute &to, const MotionMinute &more) {
  for (std::size_t i = 0; i < to.size(); i++) to[i] |= more[i];
}

void check_times(double from, double to) {
  constexpr double latest = 1e11; // some day in the year 5138
  if (!(std::abs(from) <= latest) || !(std::abs(to) <= latest))
    fail(Error::Kind::bad_setting, "'from' and 'to' are seconds since 1970");
  if (!(from < to)) fail(Error::Kind::bad_setting, "'from' has to be before 'to'");
}

} // namespace

MotionHistory::MotionHistory(std::string path, Log log, std::chrono::milliseconds budget)
    : path_(std::move(path)), log_(std::move(log)), readers_(path_, budget) {
  try {
    if (const std::string moved = move_unreadable_log_aside(path_); !moved.empty()) log_(moved);
    open();
  } catch (const DamagedDatabase &e) {
    set_aside(e.what());
  }
}

void MotionHistory::open() {
  db_ = std::make_unique<Sqlite>(path_);
  db_->execute(schema);
}

void MotionHistory::set_aside(const std::string &why) {
  db_.reset();
  const std::string aside = move_aside(path_);
  open();
  readers_.reopen();
  salvage(aside, path_, log_);
  damaged_ = false;
  log_(text(why, "; the history of motion was damaged and is now ", aside,
            ", what could be read of it goes on in ", path_));
}

void MotionHistory::add(const std::string &camera, const MovedSeconds &seconds) {
  const std::lock_guard guard(waiting_lock_);
  for (const auto &[second, cells] : seconds) {
    const std::int64_t minute = minute_of(second);
    waiting_[{camera, minute}][static_cast<std::size_t>(second - minute * a_minute)] |= cells;
  }
}

void MotionHistory::store() {
  const std::lock_guard writing(write_lock_);
  Waiting now;
  {
    const std::lock_guard guard(waiting_lock_);
    now.swap(waiting_);
  }
  if (now.empty()) return;
  try {
    if (damaged_) set_aside("a reader found damage");
    try {
      write(now);
    } catch (const DamagedDatabase &e) {
      set_aside(e.what());
      write(now);
    }
  } catch (...) {
    const std::lock_guard guard(waiting_lock_);
    for (auto &[key, minute] : now) merge(waiting_[key], minute);
    while (waiting_.size() > most_minutes)
      waiting_.erase(std::min_element(waiting_.begin(), waiting_.end(), [](const auto &a, const auto &b) {
        return a.first.minute < b.first.minute;
      }));
    throw;
  }
}

void MotionHistory::write(const Waiting &all) {
  Transaction together(*db_);
  for (const auto &[key, seconds] : all) {
    MotionMinute minute = seconds;
    {
      Statement old(*db_, "SELECT cells FROM motion_minutes WHERE camera=? AND minute=?");
      old.bind(key.camera).bind(key.minute);
      if (old.step())
        if (const auto before = decode_minute(old.bytes(0))) merge(minute, *before);
    }
    const std::vector<std::uint8_t> bytes = encode(minute);
    Statement(*db_, "INSERT OR REPLACE INTO motion_minutes(camera, minute, cells) VALUES(?,?,?)")
        .bind(key.camera)
        .bind(key.minute)
        .bind(std::span<const std::uint8_t>(bytes))
        .run();
  }
  together.commit();
}

void MotionHistory::each_minute(const std::string &camera, double from, double to, bool newest_first,
                                const std::function<bool(std::int64_t, const MotionMinute &)> &f) const {
  try {
    const auto l = readers_.lease();
    Statement s(l.db(), std::string("SELECT minute, cells FROM motion_minutes WHERE camera=? AND minute>=?"
                                    " AND minute*60<? ORDER BY minute") +
                            (newest_first ? " DESC" : ""));
    s.bind(camera).bind(minute_of(static_cast<std::int64_t>(std::floor(from)))).bind(to);
    while (l.step(s))
      if (const auto minute = decode_minute(s.bytes(1)); minute && !f(s.integer(0), *minute)) return;
  } catch (const DamagedDatabase &e) {
    damaged_ = true;
    fail(Error::Kind::io, e.what(), "; it is mended within a minute, try again then");
  }
}

std::vector<std::uint8_t> MotionHistory::levels(const std::string &camera, double from, double to,
                                                double step) const {
  check_times(from, to);
  if (!(step > 0)) fail(Error::Kind::bad_setting, "the step has to be more than 0 seconds");
  const double steps = std::ceil((to - from) / step);
  if (steps > static_cast<double>(most_levels))
    fail(Error::Kind::bad_setting, "there are more than ", most_levels,
         " steps between 'from' and 'to'; ask for a shorter time or a longer step");
  constexpr int whole = MovingCells::columns * MovingCells::rows, highest = 255;
  std::vector<std::uint8_t> out(static_cast<std::size_t>(steps));
  each_minute(camera, from, to, false, [&](std::int64_t number, const MotionMinute &minute) {
    for (std::size_t i = 0; i < minute.size(); i++) {
      if (!minute[i].any()) continue;
      const int n = minute[i].count();
      // A second lies in all steps that it has a part of.
      const auto begin = static_cast<double>(number * a_minute) + static_cast<double>(i);
      const double first = std::max(0., std::floor((begin - from) / step));
      const double end = std::min(steps, std::ceil((begin + 1 - from) / step));
      const int level = std::max(1, n * highest / whole);
      for (double at = first; at < end; at++) {
        std::uint8_t &to_raise = out[static_cast<std::size_t>(at)];
        to_raise = std::max(to_raise, static_cast<std::uint8_t>(level));
      }
    }
    return true;
  });
  return out;
}

MotionSearch::Result MotionHistory::search(const std::string &camera, const std::vector<Point> &polygon,
                                           double from, double to, std::size_t limit) const {
  check_polygon(polygon);
  check_times(from, to);
  if (to - from > longest_search)
    fail(Error::Kind::bad_setting, "'from' and 'to' are ", std::ceil((to - from) / 86400),
         " days apart; one search covers 31 days at most");
  MotionSearch search(polygon, std::min(limit, most_hits));
  each_minute(camera, from, to, true, [&](std::int64_t number, const MotionMinute &minute) {
    for (std::size_t i = minute.size(); i-- > 0;) {
      const std::int64_t second = number * a_minute + static_cast<std::int64_t>(i);
      const auto begin = static_cast<double>(second);
      if (begin >= to || begin + 1 <= from) continue;
      if (!search.look(second, minute[i])) return false;
    }
    return true;
  });
  return search.end();
}

std::vector<RestlessPart> MotionHistory::restless(const std::string &camera, double now,
                                                  const MovingCells &known) const {
  constexpr double day = 86400;
  check_times(now - day, now);
  // Whole minutes: the one that goes on is looked at later.
  const std::int64_t end = minute_of(static_cast<std::int64_t>(std::floor(now)));
  const auto restless = std::make_unique<RestlessParts>(end);
  const auto to = static_cast<double>(end * a_minute);
  each_minute(camera, to - day, to, false, [&](std::int64_t number, const MotionMinute &minute) {
    restless->look(number, minute);
    return true;
  });
  return restless->parts(known);
}

void MotionHistory::forget(double now, const std::function<double(const std::string &)> &days) {
  constexpr double day = 86400;
  const std::lock_guard writing(write_lock_);
  std::vector<std::string> cameras;
  {
    // One look into the index for each camera; DISTINCT would read all of it.
    Statement s(*db_,
                "WITH RECURSIVE names(n) AS (SELECT min(camera) FROM motion_minutes UNION ALL"
                " SELECT (SELECT min(camera) FROM motion_minutes WHERE camera>n) FROM names WHERE n IS NOT"
                " NULL) SELECT n FROM names WHERE n IS NOT NULL");
    while (s.step()) cameras.push_back(s.text(0));
  }
  for (const std::string &camera : cameras) {
    const double keep = days(camera);
    if (keep <= 0) continue;
    Statement(*db_, "DELETE FROM motion_minutes WHERE camera=? AND (minute+1)*60<=?")
        .bind(camera)
        .bind(now - keep * day)
        .run();
  }
}

} // namespace vigil::monitor
