// SPDX-License-Identifier: LGPL-2.1-or-later
// The index of the continuous recording, for those who write it: a row for each segment and each gap, in the
// database of the events, on a connection of its own. All methods may be called from any thread, and throw
// Error::write when the disk is full or cannot be written. What they have stored is on the disk when they
// return.
#pragma once

#include "../store/sqlite.h"
#include "segment.h"

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace vigil::monitor {

struct RecordingTotals {
  std::int64_t bytes = 0, segments = 0;
};

// For how many days a camera's recording is kept; 0: no limit.
struct RecordingDays {
  double continuous = 0;
  std::optional<double> motion; // of what overlaps events; none was ever configured
  bool operator==(const RecordingDays &) const = default;
};

class RecordingIndex {
 public:
  // `path`: of a database that has the tables (make_recording_tables).
  explicit RecordingIndex(const std::string &path);

  void put(const Segment &);                        // new, or changed
  void remove(const std::vector<std::string> &ids); // of segments whose files are gone

  std::vector<Segment> open() const; // being written, when the program was killed; without fragments
  std::set<std::string> ids() const;
  std::optional<std::int64_t> last_end(const std::string &camera) const;

  // A camera has one gap that goes on, at most.
  std::optional<Gap> open_gap(const std::string &camera) const;
  void begin_gap(const Gap &);
  void end_gap(const std::string &camera, std::int64_t end); // shorter than a second: it never was
  void forget_gaps(const std::string &camera, std::int64_t before);

  // Retention. What overlaps motion events gets the tier for it. Segments that end after `before` are left
  // for later, when their events are in the database. Returns whether there may be more.
  bool classify(std::int64_t before);
  // The oldest that are not being written, without fragments: those that begin before a time, and those of
  // all cameras that have so many bytes together.
  std::vector<Segment> older(const std::string &camera, Segment::Tier, std::int64_t before, int limit) const;
  std::vector<Segment> oldest(std::int64_t bytes, int limit) const;
  std::map<std::string, RecordingDays> days() const;
  void set_days(const std::map<std::string, RecordingDays> &); // of these cameras
  std::map<std::string, RecordingTotals> totals() const;
  std::int64_t bytes() const; // of all
  std::optional<std::int64_t> oldest_start(const std::string &camera) const;

 private:
  mutable std::mutex lock_;
  Sqlite db_;
  std::map<std::string, RecordingTotals> totals_;
};

// The columns that read_segment() reads, in their order; the last one, fragments, may be left out.
inline constexpr const char *segment_columns =
    "id, camera, start, duration, bytes, header, stream, codecs, open, tier";
Segment read_segment(const Statement &);
void read_fragments(const Statement &, int column, Segment &);

// Makes what is not there yet.
void make_recording_tables(Sqlite &);

} // namespace vigil::monitor
