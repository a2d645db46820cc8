// SPDX-License-Identifier: LGPL-2.1-or-later
// Questions of viewers to the database, on read-only connections of their own: they wait for no writer, and
// no writer waits for them (SQLite's write-ahead log). All methods may be called from any thread.
//
// Each question has a budget of time and of rows. Beyond it, or while all connections are in use for that
// long, it throws Error::io, which the HTTP API answers with 503.
#pragma once

#include "../recording/segment.h"
#include "event_store.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace vigil::monitor {

class EventReader {
 public:
  static constexpr std::chrono::milliseconds default_budget{2000};
  static constexpr int most_rows = 20000; // that one answer has, or that one comparison reads

  // `path` is that of an EventStore, which has made the tables.
  explicit EventReader(std::string path, std::chrono::milliseconds budget = default_budget);
  ~EventReader();

  std::optional<Event> get(const std::string &id) const;
  // Throws Error::bad_setting on a cursor that is none.
  EventPage find(const EventQuery &) const;
  // The events whose vectors are nearest to this one's, by the cosine; among the newest most_rows that have
  // one.
  std::vector<SimilarEvent> similar(const std::string &id, int limit) const;

  std::int64_t clip_bytes() const;
  std::int64_t clips() const;
  std::optional<double> oldest() const;
  std::int64_t waiting(const std::string &box) const; // letters of the outbox

  // Seconds of motion for each cell of EventStore's grid, of the quarters of an hour that begin from `after`
  // on and before `before`: a day begins with one in every time zone. What versions before counted by the
  // hour counts where its hour begins.
  std::vector<float> heat(const std::string &camera, double after, double before) const;
  // Those of a camera from the quarter that `after` lies in until before the one that begins at `before`.
  // Throws Error::bad_setting when there are more than most_rows.
  std::map<CrossingPlace, Crossings> crossings(const std::string &camera, double after, double before) const;

  // Of the continuous recording: what overlaps these times, in their order; microseconds since 1970.
  std::vector<Segment> segments(const std::string &camera, std::int64_t from, std::int64_t to,
                                bool with_fragments) const;
  std::vector<Gap> gaps(const std::string &camera, std::int64_t from, std::int64_t to) const;
  std::optional<std::int64_t> recorded_since(const std::string &camera) const;
  // Bytes and length of what was recorded since then.
  std::pair<std::int64_t, std::int64_t> recorded(const std::string &camera, std::int64_t since) const;

 private:
  class Lease;
  Lease lease() const;

  const std::string path_;
  const std::chrono::milliseconds budget_;
  mutable std::mutex lock_;
  mutable std::condition_variable returned_;
  mutable std::vector<std::unique_ptr<Sqlite>> idle_;
  mutable int made_ = 0;
};

} // namespace vigil::monitor
