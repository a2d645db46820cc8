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
  std::int64_t cold_bytes = 0; // of them, in the second folder
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

  void put(const Segment &); // new, or changed
  // Of segments whose files are gone, and that are in this folder still. Events whose clips were there alone
  // have none from then on.
  void remove(const std::vector<std::string> &ids, bool cold = false);

  // What overlaps these times, in the order of their start.
  std::vector<Segment> segments(const std::string &camera, std::int64_t from, std::int64_t to,
                                bool with_fragments) const;
  std::vector<Segment> open() const; // being written, when the program was killed; without fragments
  std::set<std::string> ids() const;
  std::set<std::string> cold_ids() const;
  bool set_cold(const std::string &id, bool); // false: there is no such row
  // The oldest in the first folder that are not being written, without fragments.
  std::vector<Segment> oldest_hot(int limit) const;
  std::optional<std::int64_t> last_end(const std::string &camera) const;

  // A camera has one gap that goes on, at most.
  std::optional<Gap> open_gap(const std::string &camera) const;
  void begin_gap(const Gap &);
  void end_gap(const std::string &camera, std::int64_t end); // shorter than a second: it never was
  void forget_gaps(const std::string &camera, std::int64_t before);

  // Retention. What overlaps motion events gets the tier for it. Segments that end after `before` are left
  // for later, when their events are in the database. Returns whether there may be more.
  bool classify(std::int64_t before);
  // The oldest in one of the folders that are not being written and hold no clip, without fragments: those
  // that begin before a time, and those of all cameras that have so many bytes together: all that had no
  // motion, then the others.
  std::vector<Segment> older(const std::string &camera, Segment::Tier, std::int64_t before, int limit,
                             bool cold) const;
  std::vector<Segment> oldest(std::int64_t bytes, int limit, bool cold) const;
  std::map<std::string, RecordingDays> days() const;
  void set_days(const std::map<std::string, RecordingDays> &); // of these cameras
  std::map<std::string, RecordingTotals> totals() const;
  std::int64_t bytes() const; // of all
  std::int64_t cold_bytes() const;
  std::optional<std::int64_t> oldest_start(const std::string &camera) const;

 private:
  void take_clips(const Segment &gone);
  mutable std::mutex lock_;
  Sqlite db_;
  std::map<std::string, RecordingTotals> totals_;
};

// The columns that read_segment() reads, in their order. Fragments may follow.
inline constexpr const char *segment_columns =
    "id, camera, start, duration, bytes, header, stream, codecs, open, tier, held, cold";
inline constexpr int segment_column_count = 12;
// The query for those of a camera (?1) that overlap the time from ?2 to ?3.
std::string segments_between(bool with_fragments);
Segment read_segment(const Statement &);
void read_fragments(const Statement &, int column, Segment &);

// Makes what is not there yet.
void make_recording_tables(Sqlite &);
// The same of what keeps Segment::held right: triggers of the events' table, whatever changes it.
void make_recording_holds(Sqlite &);

} // namespace vigil::monitor
