// SPDX-License-Identifier: LGPL-2.1-or-later
#include "index.h"

#include "common/error.h"

namespace vigil::monitor {

void make_recording_tables(Sqlite &db) {
  db.execute(
      "CREATE TABLE IF NOT EXISTS segments(id TEXT PRIMARY KEY, camera TEXT NOT NULL, start INTEGER NOT NULL,"
      " duration INTEGER NOT NULL, bytes INTEGER NOT NULL, header INTEGER NOT NULL, stream TEXT NOT NULL,"
      " codecs TEXT NOT NULL, open INTEGER NOT NULL, tier INTEGER NOT NULL, fragments BLOB NOT NULL)"
      " WITHOUT ROWID;"
      "CREATE INDEX IF NOT EXISTS segments_by_time ON segments(camera, start, bytes, duration);"
      "CREATE INDEX IF NOT EXISTS segments_open ON segments(start) WHERE open;"
      "CREATE INDEX IF NOT EXISTS segments_unknown ON segments(start) WHERE tier=-1;"
      "CREATE TABLE IF NOT EXISTS gaps(camera TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER,"
      " reason TEXT NOT NULL, PRIMARY KEY(camera, start)) WITHOUT ROWID;"
      "CREATE INDEX IF NOT EXISTS segments_by_age ON segments(start);"
      "CREATE TABLE IF NOT EXISTS recording_days(camera TEXT PRIMARY KEY, continuous REAL NOT NULL, motion"
      " REAL) WITHOUT ROWID;");
  add_column(db, "segments", "held", "INTEGER NOT NULL DEFAULT 0");
  add_column(db, "segments", "cold", "INTEGER NOT NULL DEFAULT 0");
  db.execute(
      "DROP INDEX IF EXISTS segments_by_tier;"
      "CREATE INDEX IF NOT EXISTS segments_by_age_of_tier ON segments(camera, held, tier, cold, start);"
      "CREATE INDEX IF NOT EXISTS segments_still ON segments(cold, start) WHERE held=0 AND tier=0;"
      "CREATE INDEX IF NOT EXISTS segments_moved ON segments(cold, start) WHERE held=0 AND tier<>0;"
      "CREATE INDEX IF NOT EXISTS segments_hot ON segments(start) WHERE cold=0 AND open=0;");
}

namespace {

// Seconds by which an event that has a clip may begin before the clip's end, and after its begin.
constexpr int longest_clip = 7200, longest_before = 1200;

// 2 where a kept event's clip is a part of the row of `segments`, 1 where another event's is, else 0.
const std::string held_by_events =
    text("coalesce((SELECT max(1+(e.retained<>0)) FROM events e WHERE e.camera=segments.camera"
         " AND e.of_recording<>0 AND e.has_clip<>0"
         " AND e.start>segments.start/1e6-",
         longest_clip, " AND e.start<(segments.start+segments.duration)/1e6+", longest_before,
         " AND e.clip_start<(segments.start+segments.duration)/1e6 AND e.clip_end>segments.start/1e6),0)");

std::string hold_again(const std::string &event) {
  const std::string from = "CAST(round(" + event + ".clip_start*1e6) AS INTEGER)",
                    to = "CAST(round(" + event + ".clip_end*1e6) AS INTEGER)",
                    camera = "camera=" + event + ".camera";
  return "UPDATE segments SET held=" + held_by_events + " WHERE " + camera + " AND start<" + to +
         " AND start+duration>" + from + " AND start>=coalesce((SELECT max(start) FROM segments WHERE " +
         camera + " AND start<=" + from + ")," + from + ");";
}

} // namespace

void make_recording_holds(Sqlite &db) {
  const std::string changed =
      "NEW.has_clip IS NOT OLD.has_clip OR NEW.retained IS NOT OLD.retained OR NEW.of_recording IS NOT"
      " OLD.of_recording OR NEW.clip_start IS NOT OLD.clip_start OR NEW.clip_end IS NOT OLD.clip_end";
  db.execute(("CREATE TRIGGER IF NOT EXISTS hold_added AFTER INSERT ON events WHEN NEW.of_recording<>0 AND"
              " NEW.has_clip<>0 BEGIN " +
              hold_again("NEW") +
              " END;"
              "CREATE TRIGGER IF NOT EXISTS hold_changed AFTER UPDATE ON events WHEN (NEW.of_recording<>0 OR"
              " OLD.of_recording<>0) AND (" +
              changed + ") BEGIN " + hold_again("OLD") + hold_again("NEW") +
              " END;"
              "CREATE TRIGGER IF NOT EXISTS hold_removed AFTER DELETE ON events WHEN OLD.of_recording<>0"
              " BEGIN " +
              hold_again("OLD") + " END;")
                 .c_str());
}

std::string segments_between(bool with_fragments) {
  // The one that begins last before the time may reach into it.
  return std::string("SELECT ") + segment_columns + (with_fragments ? ", fragments" : "") +
         " FROM segments WHERE camera=?1 AND start<?3 AND start+duration>?2 AND start>="
         "coalesce((SELECT max(start) FROM segments WHERE camera=?1 AND start<=?2), ?2)"
         " ORDER BY start, id";
}

Segment read_segment(const Statement &s) {
  Segment out;
  out.id = s.text(0);
  out.camera = s.text(1);
  out.start = s.integer(2);
  out.duration = s.integer(3);
  out.bytes = s.integer(4);
  out.header = s.integer(5);
  out.stream = s.text(6);
  out.codecs = s.text(7);
  out.open = s.integer(8) != 0;
  out.tier = static_cast<Segment::Tier>(s.integer(9));
  out.held = static_cast<Segment::Held>(s.integer(10));
  out.cold = s.integer(11) != 0;
  return out;
}

void read_fragments(const Statement &s, int column, Segment &to) {
  const auto blob = s.bytes(column);
  to.fragments =
      unpacked({reinterpret_cast<const char *>(blob.data()), blob.size()}).value_or(std::vector<Fragment>());
}

RecordingIndex::RecordingIndex(const std::string &path) : db_(path) {
  Statement s(db_, "SELECT camera, sum(bytes), count(*), sum(bytes*(cold<>0)) FROM segments GROUP BY camera");
  while (s.step()) totals_[s.text(0)] = {s.integer(1), s.integer(2), s.integer(3)};
}

void RecordingIndex::put(const Segment &s) {
  const std::lock_guard guard(lock_);
  Transaction both(db_);
  std::optional<std::int64_t> before;
  {
    Statement old(db_, "SELECT bytes FROM segments WHERE id=?");
    old.bind(s.id);
    if (old.step()) before = old.integer(0);
  }
  Statement write(
      db_, "INSERT INTO segments(id, camera, start, duration, bytes, header, stream, codecs, open, tier,"
           " cold, fragments) VALUES(?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(id) DO UPDATE SET"
           " duration=excluded.duration, bytes=excluded.bytes, header=excluded.header,"
           " stream=excluded.stream, codecs=excluded.codecs, open=excluded.open,"
           " fragments=excluded.fragments");
  write.bind(s.id).bind(s.camera).bind(s.start).bind(s.duration).bind(s.bytes).bind(s.header).bind(s.stream);
  write.bind(s.codecs).bind(s.open).bind(static_cast<int>(s.tier)).bind(s.cold);
  const std::string blob = packed(s.fragments);
  write.bind(std::span(reinterpret_cast<const std::uint8_t *>(blob.data()), blob.size())).run();
  if (!s.open) Statement(db_, "UPDATE segments SET held=" + held_by_events + " WHERE id=?").bind(s.id).run();
  both.commit();
  RecordingTotals &t = totals_[s.camera];
  t.bytes += s.bytes - before.value_or(0);
  t.segments += before ? 0 : 1;
  if (!before && s.cold) t.cold_bytes += s.bytes;
}

void RecordingIndex::remove(const std::vector<std::string> &ids, bool cold) {
  const std::lock_guard guard(lock_);
  std::map<std::string, RecordingTotals> gone;
  Transaction all(db_);
  for (const std::string &id : ids) {
    Segment one;
    {
      Statement s(db_,
                  std::string("SELECT ") + segment_columns + " FROM segments WHERE id=? AND (cold<>0)=?");
      s.bind(id).bind(cold);
      if (!s.step()) continue;
      one = read_segment(s);
    }
    RecordingTotals &t = gone[one.camera];
    t.bytes += one.bytes;
    t.segments++;
    Statement(db_, "DELETE FROM segments WHERE id=?").bind(id).run();
    if (one.held != Segment::Held::no) take_clips(one);
  }
  all.commit();
  for (const auto &[camera, t] : gone) {
    totals_[camera].bytes -= t.bytes;
    totals_[camera].segments -= t.segments;
    if (cold) totals_[camera].cold_bytes -= t.bytes;
  }
}

// Within a transaction: from events whose clips were in this segment, and are in no other one.
void RecordingIndex::take_clips(const Segment &gone) {
  Statement(db_, text("UPDATE events SET has_clip=0, clip_bytes=0 WHERE camera=? AND of_recording<>0 AND"
                      " has_clip<>0 AND start>?-",
                      longest_clip, " AND start<?+", longest_before,
                      " AND clip_start<? AND clip_end>? AND NOT EXISTS(SELECT 1 FROM segments g WHERE"
                      " g.camera=events.camera AND g.start<events.clip_end*1e6 AND"
                      " g.start>=(events.clip_start-86400)*1e6 AND"
                      " (g.open<>0 OR g.start+g.duration>events.clip_start*1e6))"))
      .bind(gone.camera)
      .bind(seconds(gone.start))
      .bind(seconds(gone.end()))
      .bind(seconds(gone.end()))
      .bind(seconds(gone.start))
      .run();
}

std::vector<Segment> RecordingIndex::segments(const std::string &camera, std::int64_t from, std::int64_t to,
                                              bool with_fragments) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, segments_between(with_fragments));
  s.bind(camera).bind(from).bind(to);
  std::vector<Segment> out;
  while (s.step()) {
    out.push_back(read_segment(s));
    if (with_fragments) read_fragments(s, segment_column_count, out.back());
  }
  return out;
}

std::vector<Segment> RecordingIndex::open() const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT ") + segment_columns + " FROM segments WHERE open ORDER BY start");
  std::vector<Segment> out;
  while (s.step()) out.push_back(read_segment(s));
  return out;
}

std::set<std::string> RecordingIndex::ids() const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT id FROM segments");
  std::set<std::string> out;
  while (s.step()) out.insert(s.text(0));
  return out;
}

std::set<std::string> RecordingIndex::cold_ids() const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT id FROM segments WHERE cold<>0");
  std::set<std::string> out;
  while (s.step()) out.insert(s.text(0));
  return out;
}

bool RecordingIndex::set_cold(const std::string &id, bool cold) {
  const std::lock_guard guard(lock_);
  Segment before;
  {
    Statement s(db_, std::string("SELECT ") + segment_columns + " FROM segments WHERE id=?");
    s.bind(id);
    if (!s.step()) return false;
    before = read_segment(s);
  }
  Statement(db_, "UPDATE segments SET cold=? WHERE id=?").bind(cold).bind(id).run();
  if (before.cold != cold) totals_[before.camera].cold_bytes += cold ? before.bytes : -before.bytes;
  return true;
}

std::vector<Segment> RecordingIndex::oldest_hot(int limit) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT ") + segment_columns +
                       " FROM segments WHERE cold=0 AND open=0 ORDER BY start LIMIT ?");
  s.bind(limit);
  std::vector<Segment> out;
  while (s.step()) out.push_back(read_segment(s));
  return out;
}

std::optional<std::int64_t> RecordingIndex::last_end(const std::string &camera) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT start+duration FROM segments WHERE camera=? ORDER BY start DESC LIMIT 1");
  s.bind(camera);
  if (!s.step()) return std::nullopt;
  return s.integer(0);
}

std::optional<Gap> RecordingIndex::open_gap(const std::string &camera) const {
  const std::lock_guard guard(lock_);
  Statement s(db_,
              "SELECT start, reason FROM gaps WHERE camera=? AND end IS NULL ORDER BY start DESC LIMIT 1");
  s.bind(camera);
  if (!s.step()) return std::nullopt;
  return Gap{camera, s.text(1), s.integer(0), {}};
}

void RecordingIndex::begin_gap(const Gap &g) {
  const std::lock_guard guard(lock_);
  Statement(db_, "INSERT OR REPLACE INTO gaps(camera, start, end, reason) VALUES(?,?,?,?)")
      .bind(g.camera)
      .bind(g.start)
      .bind(g.end)
      .bind(g.reason)
      .run();
}

void RecordingIndex::end_gap(const std::string &camera, std::int64_t end) {
  const std::lock_guard guard(lock_);
  Transaction both(db_);
  Statement(db_, "DELETE FROM gaps WHERE camera=? AND end IS NULL AND ?-start<?")
      .bind(camera)
      .bind(end)
      .bind(a_second)
      .run();
  Statement(db_, "UPDATE gaps SET end=? WHERE camera=? AND end IS NULL").bind(end).bind(camera).run();
  both.commit();
}

void RecordingIndex::forget_gaps(const std::string &camera, std::int64_t before) {
  const std::lock_guard guard(lock_);
  Statement(db_, "DELETE FROM gaps WHERE camera=? AND end<?").bind(camera).bind(before).run();
}

bool RecordingIndex::classify(std::int64_t before) {
  constexpr int at_once = 2000;
  // Events of what moved, by the index events_by_camera. None lasts longer than a day.
  constexpr const char *sql =
      "UPDATE segments SET tier=EXISTS(SELECT 1 FROM events e WHERE e.camera=segments.camera"
      " AND e.start<(segments.start+segments.duration)/1e6 AND e.start>segments.start/1e6-86400"
      " AND (e.end IS NULL OR e.end>segments.start/1e6) AND e.label NOT LIKE 'camera-%')"
      " WHERE id IN (SELECT id FROM segments WHERE tier=-1 AND open=0 AND start+duration<? ORDER BY start "
      "LIMIT ?)";
  const std::lock_guard guard(lock_);
  Statement(db_, sql).bind(before).bind(at_once).run();
  return db_.changes() == at_once;
}

std::vector<Segment> RecordingIndex::older(const std::string &camera, Segment::Tier tier, std::int64_t before,
                                           int limit, bool cold) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT ") + segment_columns +
                       " FROM segments WHERE camera=? AND held=0 AND tier=? AND cold=? AND start<? AND open=0"
                       " ORDER BY start LIMIT ?");
  s.bind(camera).bind(static_cast<int>(tier)).bind(cold).bind(before).bind(limit);
  std::vector<Segment> out;
  while (s.step()) out.push_back(read_segment(s));
  return out;
}

std::vector<Segment> RecordingIndex::oldest(std::int64_t bytes, int limit, bool cold) const {
  const std::lock_guard guard(lock_);
  std::vector<Segment> out;
  std::int64_t sum = 0;
  for (const char *which : {"tier=0", "tier<>0"}) { // what is not known yet may have had motion
    Statement s(db_, std::string("SELECT ") + segment_columns + " FROM segments WHERE held=0 AND " + which +
                         " AND cold=? AND open=0 ORDER BY start LIMIT ?");
    s.bind(cold).bind(limit - static_cast<int>(out.size()));
    for (; sum < bytes && s.step(); sum += out.back().bytes) out.push_back(read_segment(s));
  }
  return out;
}

std::map<std::string, RecordingDays> RecordingIndex::days() const {
  const std::lock_guard guard(lock_);
  std::map<std::string, RecordingDays> out;
  Statement s(db_, "SELECT camera, continuous, motion FROM recording_days");
  while (s.step()) out[s.text(0)] = {s.real(1), s.is_null(2) ? std::nullopt : std::optional(s.real(2))};
  return out;
}

void RecordingIndex::set_days(const std::map<std::string, RecordingDays> &days) {
  const std::lock_guard guard(lock_);
  Transaction all(db_);
  for (const auto &[camera, d] : days)
    Statement(db_, "INSERT OR REPLACE INTO recording_days(camera, continuous, motion) VALUES(?,?,?)")
        .bind(camera)
        .bind(d.continuous)
        .bind(d.motion)
        .run();
  all.commit();
}

std::map<std::string, RecordingTotals> RecordingIndex::totals() const {
  const std::lock_guard guard(lock_);
  return totals_;
}

std::int64_t RecordingIndex::bytes() const {
  const std::lock_guard guard(lock_);
  std::int64_t sum = 0;
  for (const auto &[camera, t] : totals_) sum += t.bytes;
  return sum;
}

std::int64_t RecordingIndex::cold_bytes() const {
  const std::lock_guard guard(lock_);
  std::int64_t sum = 0;
  for (const auto &[camera, t] : totals_) sum += t.cold_bytes;
  return sum;
}

std::optional<std::int64_t> RecordingIndex::oldest_start(const std::string &camera) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT min(start) FROM segments WHERE camera=?");
  s.bind(camera);
  if (!s.step() || s.is_null(0)) return std::nullopt;
  return s.integer(0);
}

} // namespace vigil::monitor
