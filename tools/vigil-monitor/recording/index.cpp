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
      "CREATE INDEX IF NOT EXISTS segments_by_tier ON segments(camera, tier, start);"
      "CREATE INDEX IF NOT EXISTS segments_open ON segments(start) WHERE open;"
      "CREATE INDEX IF NOT EXISTS segments_unknown ON segments(start) WHERE tier=-1;"
      "CREATE TABLE IF NOT EXISTS gaps(camera TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER,"
      " reason TEXT NOT NULL, PRIMARY KEY(camera, start)) WITHOUT ROWID;"
      "CREATE INDEX IF NOT EXISTS segments_by_age ON segments(start);"
      "CREATE TABLE IF NOT EXISTS recording_days(camera TEXT PRIMARY KEY, continuous REAL NOT NULL, motion"
      " REAL) WITHOUT ROWID;");
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
  return out;
}

void read_fragments(const Statement &s, int column, Segment &to) {
  const auto blob = s.bytes(column);
  to.fragments =
      unpacked({reinterpret_cast<const char *>(blob.data()), blob.size()}).value_or(std::vector<Fragment>());
}

RecordingIndex::RecordingIndex(const std::string &path) : db_(path) {
  Statement s(db_, "SELECT camera, sum(bytes), count(*) FROM segments GROUP BY camera");
  while (s.step()) totals_[s.text(0)] = {s.integer(1), s.integer(2)};
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
           " fragments) VALUES(?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(id) DO UPDATE SET"
           " duration=excluded.duration, bytes=excluded.bytes, header=excluded.header,"
           " stream=excluded.stream, codecs=excluded.codecs, open=excluded.open,"
           " fragments=excluded.fragments");
  write.bind(s.id).bind(s.camera).bind(s.start).bind(s.duration).bind(s.bytes).bind(s.header).bind(s.stream);
  write.bind(s.codecs).bind(s.open).bind(static_cast<int>(s.tier));
  const std::string blob = packed(s.fragments);
  write.bind(std::span(reinterpret_cast<const std::uint8_t *>(blob.data()), blob.size())).run();
  both.commit();
  RecordingTotals &t = totals_[s.camera];
  t.bytes += s.bytes - before.value_or(0);
  t.segments += before ? 0 : 1;
}

void RecordingIndex::remove(const std::vector<std::string> &ids) {
  const std::lock_guard guard(lock_);
  std::map<std::string, RecordingTotals> gone;
  Transaction all(db_);
  for (const std::string &id : ids) {
    {
      Statement s(db_, "SELECT camera, bytes FROM segments WHERE id=?");
      s.bind(id);
      if (!s.step()) continue;
      RecordingTotals &t = gone[s.text(0)];
      t.bytes += s.integer(1);
      t.segments++;
    }
    Statement(db_, "DELETE FROM segments WHERE id=?").bind(id).run();
  }
  all.commit();
  for (const auto &[camera, t] : gone) {
    totals_[camera].bytes -= t.bytes;
    totals_[camera].segments -= t.segments;
  }
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
                                           int limit) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT ") + segment_columns +
                       " FROM segments WHERE camera=? AND tier=? AND start<? AND open=0 ORDER BY start"
                       " LIMIT ?");
  s.bind(camera).bind(static_cast<int>(tier)).bind(before).bind(limit);
  std::vector<Segment> out;
  while (s.step()) out.push_back(read_segment(s));
  return out;
}

std::vector<Segment> RecordingIndex::oldest(std::int64_t bytes, int limit) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT ") + segment_columns +
                       " FROM segments WHERE open=0 ORDER BY start LIMIT ?");
  s.bind(limit);
  std::vector<Segment> out;
  for (std::int64_t sum = 0; sum < bytes && s.step(); sum += out.back().bytes) out.push_back(read_segment(s));
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

std::optional<std::int64_t> RecordingIndex::oldest_start(const std::string &camera) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT min(start) FROM segments WHERE camera=?");
  s.bind(camera);
  if (!s.step() || s.is_null(0)) return std::nullopt;
  return s.integer(0);
}

} // namespace vigil::monitor
