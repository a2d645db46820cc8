// SPDX-License-Identifier: LGPL-2.1-or-later
// Questions of viewers to the database of events, on ReadConnections and within their budget of time. All
// methods may be called from any thread.
#pragma once

#include "../recording/segment.h"
#include "event_store.h"
#include "read_connections.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

class EventReader {
 public:
  static constexpr int most_rows = 20000; // that one answer has, or that one comparison reads

  // `path` is that of an EventStore, which has made the tables.
  explicit EventReader(std::string path, std::chrono::milliseconds budget = ReadConnections::default_budget);

  std::optional<Event> get(const std::string &id) const;
  bool seen(const std::string &id, const std::string &who) const;
  // Throws Error::bad_setting on a cursor that is none.
  EventPage find(const EventQuery &) const;
  // The events whose vectors are nearest to this one's, by the cosine; among the newest most_rows that have
  // one.
  std::vector<SimilarEvent> similar(const std::string &id, int limit, const VisibleCameras & = {}) const;

  std::int64_t clip_bytes() const; // of the files that clips are
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
  const ReadConnections connections_;
};

} // namespace vigil::monitor
