// SPDX-License-Identifier: LGPL-2.1-or-later
// The database of events. One object is one connection; all methods may be called from any thread, and throw
// Error::write when the disk is full or cannot be written.
#pragma once

#include "event.h"
#include "sqlite.h"

#include <mutex>

namespace vigil::monitor {

struct EventQuery {
  std::string camera, label, zone; // empty: any
  std::optional<double> after, before;
  std::optional<bool> retained;
  int limit = 50;
  std::string cursor; // from an EventPage
};
struct EventPage {
  std::vector<Event> events; // the newest first
  std::string next_cursor;   // empty: there are no more
};
struct SimilarEvent {
  Event event;
  double similarity = 0;
};
struct Letter { // of the outbox
  std::int64_t id = 0;
  std::string topic, payload;
  bool retain = false;
};

class EventStore {
 public:
  // Throws Error::bad_data when the file was made by a newer version.
  explicit EventStore(const std::string &path);

  void put(const Event &); // new, or changed
  std::optional<Event> get(const std::string &id) const;
  bool remove(const std::string &id);
  // Throws Error::bad_setting on a cursor that is none.
  EventPage find(const EventQuery &) const;
  std::vector<Event> oldest_first() const; // all of them, for retention
  std::int64_t clip_bytes() const;
  std::int64_t clips() const;
  std::optional<double> oldest() const;

  void put_vector(const std::string &id, std::span<const float>);
  std::vector<SimilarEvent> similar(const std::string &id, int limit) const;

  // Seconds of motion for each cell of a grid, summed by the hour.
  static constexpr int heat_columns = 32, heat_rows = 18;
  void add_heat(const std::string &camera, double time, std::span<const float> cells);
  std::vector<float> heat(const std::string &camera, double after, double before) const;

  // Messages for a server that is away; `box` is mqtt or webhook. The oldest go when there are more than
  // `limit`.
  void post(const std::string &box, const Letter &, std::int64_t limit = 10000);
  std::vector<Letter> letters(const std::string &box, int limit) const;
  void delivered(std::int64_t letter);
  std::int64_t waiting(const std::string &box) const;

  // Events that no end was written for, because the program was killed, end when they were last changed.
  // Their ids, by their begins.
  std::vector<std::string> close_unfinished();

 private:
  mutable std::mutex lock_;
  Sqlite db_;
};

} // namespace vigil::monitor
