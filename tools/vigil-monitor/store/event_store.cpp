// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_store.h"

#include "../labels/label_store.h"
#include "../recording/index.h"
#include "common/error.h"
#include "event_row.h"
#include "push_store.h"
#include "user_store.h"

#include <algorithm>
#include <cmath>

namespace vigil::monitor {
namespace {

// 2: segments and gaps of the recording; 3: users and sessions; 4: clips that are parts of the recording
constexpr int version = 4;
constexpr const char *schema = "CREATE TABLE events(id TEXT PRIMARY KEY, camera TEXT NOT NULL, label TEXT "
                               "NOT NULL, start REAL NOT NULL, end REAL,"
                               " updated REAL NOT NULL, zones TEXT NOT NULL, x REAL, y REAL, width REAL, "
                               "height REAL, score REAL NOT NULL, has_clip INTEGER NOT NULL,"
                               " clip_start REAL, clip_bytes INTEGER NOT NULL, has_snapshot INTEGER NOT "
                               "NULL, retained INTEGER NOT NULL, vector BLOB);"
                               "CREATE INDEX events_by_time ON events(start, id);"
                               "CREATE INDEX events_by_camera ON events(camera, start, id);"
                               "CREATE TABLE heat(camera TEXT NOT NULL, hour INTEGER NOT NULL, cells BLOB "
                               "NOT NULL, PRIMARY KEY(camera, hour));"
                               "CREATE TABLE outbox(id INTEGER PRIMARY KEY AUTOINCREMENT, box TEXT NOT NULL, "
                               "topic TEXT NOT NULL, payload TEXT NOT NULL,"
                               " retain INTEGER NOT NULL);";

// What databases of version 1 may not have yet.
constexpr const char *additions =
    "CREATE TABLE IF NOT EXISTS crossings(camera TEXT NOT NULL, quarter INTEGER NOT NULL, line TEXT NOT NULL,"
    " ins INTEGER NOT NULL, outs INTEGER NOT NULL, PRIMARY KEY(camera, quarter, line)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS heat_quarters(camera TEXT NOT NULL, quarter INTEGER NOT NULL, cells BLOB NOT "
    "NULL,"
    " PRIMARY KEY(camera, quarter)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS seen(event TEXT NOT NULL, who TEXT NOT NULL, PRIMARY KEY(event, who)) WITHOUT"
    " ROWID;"
    "CREATE TABLE IF NOT EXISTS cameras(name TEXT PRIMARY KEY, retain_days REAL NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS clock(id INTEGER PRIMARY KEY CHECK(id=0), trusted REAL NOT NULL)";

// What needs columns that were added.
constexpr const char *later_additions =
    "DROP INDEX IF EXISTS events_by_clip;"
    "CREATE INDEX IF NOT EXISTS events_by_size ON events(of_recording, has_clip, clip_bytes);";

} // namespace

EventStore::EventStore(const std::string &path) : db_(path) {
  db_.execute("BEGIN IMMEDIATE");
  const std::int64_t found = one_integer(db_, "PRAGMA user_version");
  if (found == 0) db_.execute(schema);
  if (found <= version) {
    db_.execute(additions);
    make_recording_tables(db_);
    add_column(db_, "events", "continues", "TEXT");
    add_column(db_, "events", "of_recording", "INTEGER NOT NULL DEFAULT 0");
    add_column(db_, "events", "clip_end", "REAL");
    db_.execute(later_additions);
    make_recording_holds(db_);
    make_user_tables(db_);
    make_push_table(db_);
    make_label_tables(db_);
    if (found < version) db_.execute(text("PRAGMA user_version=", version).c_str());
  }
  db_.execute("COMMIT");
  if (found > version)
    fail(Error::Kind::bad_data, "the database ", path,
         " was made by a newer version of this program (its format is ", found, ", this program knows ",
         version, "); use that version, or another storage path");
}

void EventStore::put(const Event &e, const std::vector<Posting> &news) {
  const std::lock_guard guard(lock_);
  Transaction both(db_);
  put_event(e);
  for (const Posting &p : news) put_letter(p, most_letters);
  both.commit();
}

bool EventStore::change(const Event &e, const std::vector<Posting> &news) {
  const std::lock_guard guard(lock_);
  Transaction both(db_);
  {
    Statement s(db_, "SELECT retained FROM events WHERE id=?");
    s.bind(e.id);
    if (!s.step() || (s.integer(0) != 0) != e.retained) return false;
  }
  put_event(e);
  for (const Posting &p : news) put_letter(p, most_letters);
  both.commit();
  return true;
}

void EventStore::put_event(const Event &e) {
  Statement s(
      db_,
      "INSERT INTO events(id, camera, label, start, end, zones, x, y, width, height, score, has_clip, "
      "clip_start, clip_bytes,"
      " has_snapshot, retained, continues, of_recording, clip_end, updated) "
      "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,(julianday('now')-2440587.5)*86400.0)"
      " ON CONFLICT(id) DO UPDATE SET end=excluded.end, zones=excluded.zones, x=excluded.x, y=excluded.y,"
      " width=excluded.width, height=excluded.height, score=excluded.score, has_clip=excluded.has_clip,"
      " clip_start=excluded.clip_start, clip_bytes=excluded.clip_bytes, has_snapshot=excluded.has_snapshot,"
      " of_recording=excluded.of_recording, clip_end=excluded.clip_end, updated=excluded.updated");
  s.bind(e.id)
      .bind(e.camera)
      .bind(e.label)
      .bind(e.start_time)
      .bind(e.end_time)
      .bind(nlohmann::json(e.zones).dump());
  if (e.box)
    s.bind(e.box->x).bind(e.box->y).bind(e.box->width).bind(e.box->height);
  else
    s.bind_null().bind_null().bind_null().bind_null();
  s.bind(e.score)
      .bind(e.has_clip)
      .bind(e.clip_start)
      .bind(e.clip_bytes)
      .bind(e.has_snapshot)
      .bind(e.retained)
      .bind(e.continues.empty() ? std::optional<std::string>() : e.continues)
      .bind(e.of_recording)
      .bind(e.clip_end)
      .run();
}

std::optional<Event> EventStore::get(const std::string &id) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT ") + event_columns + " FROM events WHERE id=?");
  s.bind(id);
  if (!s.step()) return std::nullopt;
  return read_event(s);
}

bool EventStore::set_retained(const std::string &id, bool retained) {
  const std::lock_guard guard(lock_);
  Statement(db_, "UPDATE events SET retained=? WHERE id=?").bind(retained).bind(id).run();
  return db_.changes() > 0;
}

void EventStore::set_seen(const std::string &id, const std::string &who, bool seen) {
  const std::lock_guard guard(lock_);
  // An event that was deleted meanwhile gets no mark.
  Statement(db_, seen ? "INSERT OR IGNORE INTO seen(event, who) SELECT id, ?2 FROM events WHERE id=?1"
                      : "DELETE FROM seen WHERE event=?1 AND who=?2")
      .bind(id)
      .bind(who)
      .run();
}

std::vector<std::string> EventStore::set_seen(const std::vector<std::string> &ids, const std::string &who,
                                              const VisibleCameras &visible, bool seen) {
  const std::lock_guard guard(lock_);
  Transaction all(db_);
  std::vector<std::string> changed;
  for (const std::string &id : ids) {
    Statement of(db_, "SELECT camera FROM events WHERE id=?");
    of.bind(id);
    if (!of.step() || !visible.has(of.text(0))) continue;
    Statement(db_, seen ? "INSERT OR IGNORE INTO seen(event, who) VALUES(?,?)"
                        : "DELETE FROM seen WHERE event=? AND who=?")
        .bind(id)
        .bind(who)
        .run();
    if (db_.changes() > 0) changed.push_back(id);
  }
  all.commit();
  return changed;
}

bool EventStore::remove(const std::string &id) {
  const std::lock_guard guard(lock_);
  Transaction both(db_);
  Statement(db_, "DELETE FROM seen WHERE event=?").bind(id).run();
  Statement(db_, "DELETE FROM events WHERE id=?").bind(id).run();
  const bool was_there = db_.changes() > 0;
  both.commit();
  return was_there;
}
std::vector<Event> EventStore::oldest_first() const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT ") + event_columns + " FROM events ORDER BY start, id");
  std::vector<Event> out;
  while (s.step()) out.push_back(read_event(s));
  return out;
}

void EventStore::put_vector(const std::string &id, std::span<const float> vector) {
  const std::lock_guard guard(lock_);
  Statement(db_, "UPDATE events SET vector=? WHERE id=?").bind(vector).bind(id).run();
}
void EventStore::add_heat(const std::string &camera, double time, std::span<const float> cells) {
  const std::lock_guard guard(lock_);
  Transaction both(db_); // else another connection that writes between reading and writing makes it fail
  const auto at = static_cast<std::int64_t>(std::floor(time / quarter));
  std::vector<float> sum(cells.begin(), cells.end());
  {
    Statement old(db_, "SELECT cells FROM heat_quarters WHERE camera=? AND quarter=?");
    old.bind(camera).bind(at);
    if (old.step()) {
      const std::vector<float> before = old.floats(0);
      for (std::size_t i = 0; i < std::min(sum.size(), before.size()); i++) sum[i] += before[i];
    }
  }
  Statement(db_, "INSERT OR REPLACE INTO heat_quarters(camera, quarter, cells) VALUES(?,?,?)")
      .bind(camera)
      .bind(at)
      .bind(std::span<const float>(sum))
      .run();
  both.commit();
}
void EventStore::add_crossings(const std::map<CrossingPlace, Crossings> &more) {
  const std::lock_guard guard(lock_);
  Transaction all(db_);
  for (const auto &[at, n] : more)
    Statement(db_, "INSERT INTO crossings(camera, quarter, line, ins, outs) VALUES(?,?,?,?,?)"
                   " ON CONFLICT DO UPDATE SET ins=ins+excluded.ins, outs=outs+excluded.outs")
        .bind(at.camera)
        .bind(at.quarter)
        .bind(at.line)
        .bind(n.in)
        .bind(n.out)
        .run();
  all.commit();
}
void EventStore::forget_counts(double before) {
  const std::lock_guard guard(lock_);
  Statement(db_, "DELETE FROM heat WHERE hour*3600.0<?").bind(before).run();
  Statement(db_, "DELETE FROM heat_quarters WHERE quarter*?<?").bind(1. * quarter).bind(before).run();
  Statement(db_, "DELETE FROM crossings WHERE quarter*?<?").bind(1. * quarter).bind(before).run();
}

void EventStore::post(const Posting &p, std::int64_t limit) {
  const std::lock_guard guard(lock_);
  Transaction both(db_);
  put_letter(p, limit);
  both.commit();
}

void EventStore::put_letter(const Posting &p, std::int64_t limit) {
  Statement(db_, "INSERT INTO outbox(box, topic, payload, retain) VALUES(?,?,?,?)")
      .bind(p.box)
      .bind(p.letter.topic)
      .bind(p.letter.payload)
      .bind(p.letter.retain)
      .run();
  Statement(db_, "DELETE FROM outbox WHERE box=? AND id<=(SELECT id FROM outbox WHERE box=? ORDER BY id DESC"
                 " LIMIT 1 OFFSET ?)")
      .bind(p.box)
      .bind(p.box)
      .bind(limit)
      .run();
}

std::vector<Letter> EventStore::letters(const std::string &box, int limit) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT id, topic, payload, retain FROM outbox WHERE box=? ORDER BY id LIMIT ?");
  s.bind(box).bind(limit);
  std::vector<Letter> out;
  while (s.step()) out.push_back({s.integer(0), s.text(1), s.text(2), s.integer(3) != 0});
  return out;
}

void EventStore::delivered(std::int64_t letter) {
  const std::lock_guard guard(lock_);
  Statement(db_, "DELETE FROM outbox WHERE id=?").bind(letter).run();
}

void EventStore::drop_boxes(const std::string &prefix, const std::vector<std::string> &but) {
  const std::lock_guard guard(lock_);
  Statement(db_,
            "DELETE FROM outbox WHERE substr(box, 1, ?)=? AND box NOT IN (SELECT value FROM json_each(?))")
      .bind(static_cast<std::int64_t>(prefix.size()))
      .bind(prefix)
      .bind(nlohmann::json(but).dump())
      .run();
}

std::map<std::string, double> EventStore::retain_days() const {
  const std::lock_guard guard(lock_);
  std::map<std::string, double> out;
  Statement s(db_, "SELECT name, retain_days FROM cameras");
  while (s.step()) out[s.text(0)] = s.real(1);
  return out;
}

void EventStore::set_retain_days(const std::map<std::string, double> &days) {
  const std::lock_guard guard(lock_);
  Transaction all(db_);
  for (const auto &[name, d] : days)
    Statement(db_, "INSERT INTO cameras(name, retain_days) VALUES(?,?)"
                   " ON CONFLICT(name) DO UPDATE SET retain_days=excluded.retain_days")
        .bind(name)
        .bind(d)
        .run();
  all.commit();
}

std::vector<std::string> EventStore::cameras() const {
  const std::lock_guard guard(lock_);
  // One look into the index for each camera; DISTINCT would read all of it.
  Statement s(db_, "WITH RECURSIVE names(n) AS (SELECT min(camera) FROM events UNION ALL"
                   " SELECT (SELECT min(camera) FROM events WHERE camera>n) FROM names WHERE n IS NOT NULL)"
                   " SELECT n FROM names WHERE n IS NOT NULL");
  std::vector<std::string> out;
  while (s.step()) out.push_back(s.text(0));
  return out;
}

std::vector<Event> EventStore::oldest(const std::string &camera, bool with_clip, int limit) const {
  std::string sql =
      std::string("SELECT ") + event_columns + " FROM events WHERE retained=0 AND end IS NOT NULL";
  if (!camera.empty()) sql += " AND camera=?";
  if (with_clip) sql += " AND clip_bytes>0";
  sql += " ORDER BY start, id LIMIT ?";
  const std::lock_guard guard(lock_);
  Statement s(db_, sql);
  if (!camera.empty()) s.bind(camera);
  s.bind(limit);
  std::vector<Event> out;
  while (s.step()) out.push_back(read_event(s));
  return out;
}

std::optional<double> EventStore::trusted_time() const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT trusted FROM clock");
  if (!s.step()) return std::nullopt;
  return s.real(0);
}

void EventStore::set_trusted_time(double time) {
  const std::lock_guard guard(lock_);
  Statement(db_, "INSERT OR REPLACE INTO clock(id, trusted) VALUES(0,?)").bind(time).run();
}

std::vector<Event> EventStore::unfinished() const {
  const std::lock_guard guard(lock_);
  std::vector<Event> out;
  Statement s(db_, std::string("SELECT ") + event_columns +
                       ", max(start, updated) FROM events WHERE end IS NULL ORDER BY start, id");
  while (s.step()) {
    out.push_back(read_event(s));
    out.back().end_time = s.real(event_column_count);
  }
  return out;
}

} // namespace vigil::monitor
