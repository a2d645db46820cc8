// SPDX-License-Identifier: LGPL-2.1-or-later
#include "events.h"

#include "common/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace vigil::monitor {
namespace {

constexpr int version = 1;
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
                               " retain INTEGER NOT NULL);"
                               "PRAGMA user_version=1;";

// What databases of this version may not have yet. An older program does not mind it.
constexpr const char *additions =
    "CREATE TABLE IF NOT EXISTS crossings(camera TEXT NOT NULL, quarter INTEGER NOT NULL, line TEXT NOT NULL,"
    " ins INTEGER NOT NULL, outs INTEGER NOT NULL, PRIMARY KEY(camera, quarter, line)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS events_by_clip ON events(has_clip, clip_bytes)";

constexpr const char *columns =
    "id, camera, label, start, end, zones, x, y, width, height, score, has_clip, clip_start, clip_bytes,"
    " has_snapshot, retained, vector IS NOT NULL";

Event read_event(const Statement &s) {
  Event e;
  e.id = s.text(0);
  e.camera = s.text(1);
  e.label = s.text(2);
  e.start_time = s.real(3);
  if (!s.is_null(4)) e.end_time = s.real(4);
  const auto zones = nlohmann::json::parse(s.text(5), nullptr, false);
  if (zones.is_array())
    for (const auto &z : zones)
      if (z.is_string()) e.zones.push_back(z);
  if (!s.is_null(6)) e.box = Rect{s.real(6), s.real(7), s.real(8), s.real(9)};
  e.score = s.real(10);
  e.has_clip = s.integer(11) != 0;
  if (!s.is_null(12)) e.clip_start = s.real(12);
  e.clip_bytes = s.integer(13);
  e.has_snapshot = s.integer(14) != 0;
  e.retained = s.integer(15) != 0;
  e.has_vector = s.integer(16) != 0;
  return e;
}

std::int64_t one_integer(const Sqlite &db, const char *sql) {
  Statement s(db, sql);
  return s.step() ? s.integer(0) : 0;
}

std::int64_t hour_of(double time) {
  return static_cast<std::int64_t>(std::floor(time / 3600));
}

} // namespace

EventStore::EventStore(const std::string &path) : db_(path) {
  db_.execute("BEGIN IMMEDIATE");
  const std::int64_t found = one_integer(db_, "PRAGMA user_version");
  if (found == 0) db_.execute(schema);
  if (found <= version) db_.execute(additions);
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
      " has_snapshot, retained, updated) "
      "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,(julianday('now')-2440587.5)*86400.0)"
      " ON CONFLICT(id) DO UPDATE SET end=excluded.end, zones=excluded.zones, x=excluded.x, y=excluded.y,"
      " width=excluded.width, height=excluded.height, score=excluded.score, has_clip=excluded.has_clip,"
      " clip_start=excluded.clip_start, clip_bytes=excluded.clip_bytes, has_snapshot=excluded.has_snapshot,"
      " updated=excluded.updated");
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
      .run();
}

std::optional<Event> EventStore::get(const std::string &id) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT ") + columns + " FROM events WHERE id=?");
  s.bind(id);
  if (!s.step()) return std::nullopt;
  return read_event(s);
}

bool EventStore::set_retained(const std::string &id, bool retained) {
  const std::lock_guard guard(lock_);
  Statement(db_, "UPDATE events SET retained=? WHERE id=?").bind(retained).bind(id).run();
  return db_.changes() > 0;
}

bool EventStore::remove(const std::string &id) {
  const std::lock_guard guard(lock_);
  Statement(db_, "DELETE FROM events WHERE id=?").bind(id).run();
  return db_.changes() > 0;
}

EventPage EventStore::find(const EventQuery &q) const {
  std::string sql = std::string("SELECT ") + columns + " FROM events WHERE 1";
  if (!q.camera.empty()) sql += " AND camera=?";
  if (!q.label.empty()) sql += " AND label=?";
  if (!q.zone.empty()) sql += " AND EXISTS(SELECT 1 FROM json_each(zones) WHERE value=?)";
  if (q.after) sql += " AND start>=?";
  if (q.before) sql += " AND start<?";
  if (q.retained) sql += " AND retained=?";
  double cursor_time = 0;
  std::string cursor_id;
  if (!q.cursor.empty()) { // "TIME_ID" of the last event of the page before
    const auto [end, error] =
        std::from_chars(q.cursor.data(), q.cursor.data() + q.cursor.size(), cursor_time);
    if (error != std::errc() || *end != '_')
      fail(Error::Kind::bad_setting, "the cursor is none that was given out");
    cursor_id = end + 1;
    sql += " AND (start, id)<(?,?)";
  }
  sql += " ORDER BY start DESC, id DESC LIMIT ?";
  const std::lock_guard guard(lock_);
  Statement s(db_, sql);
  if (!q.camera.empty()) s.bind(q.camera);
  if (!q.label.empty()) s.bind(q.label);
  if (!q.zone.empty()) s.bind(q.zone);
  if (q.after) s.bind(*q.after);
  if (q.before) s.bind(*q.before);
  if (q.retained) s.bind(*q.retained);
  if (!q.cursor.empty()) s.bind(cursor_time).bind(cursor_id);
  s.bind(q.limit + 1);
  EventPage page;
  while (s.step()) page.events.push_back(read_event(s));
  if (static_cast<int>(page.events.size()) > q.limit) {
    page.events.pop_back();
    char number[32];
    const Event &last = page.events.back();
    page.next_cursor =
        std::string(number, std::to_chars(number, number + sizeof number, last.start_time).ptr) + "_" +
        last.id;
  }
  return page;
}

std::vector<Event> EventStore::oldest_first() const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT ") + columns + " FROM events ORDER BY start, id");
  std::vector<Event> out;
  while (s.step()) out.push_back(read_event(s));
  return out;
}

std::int64_t EventStore::clip_bytes() const {
  const std::lock_guard guard(lock_);
  return one_integer(db_, "SELECT total(clip_bytes) FROM events");
}

std::int64_t EventStore::clips() const {
  const std::lock_guard guard(lock_);
  return one_integer(db_, "SELECT count(*) FROM events WHERE has_clip");
}

std::optional<double> EventStore::oldest() const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT min(start) FROM events");
  if (!s.step() || s.is_null(0)) return std::nullopt;
  return s.real(0);
}

void EventStore::put_vector(const std::string &id, std::span<const float> vector) {
  const std::lock_guard guard(lock_);
  Statement(db_, "UPDATE events SET vector=? WHERE id=?").bind(vector).bind(id).run();
}

std::vector<SimilarEvent> EventStore::similar(const std::string &id, int limit) const {
  const auto unit = [](std::vector<float> v) {
    double sum = 0;
    for (const float x : v) sum += static_cast<double>(x) * x;
    for (float &x : v) x = sum > 0 ? static_cast<float>(x / std::sqrt(sum)) : 0;
    return v;
  };
  const std::lock_guard guard(lock_);
  Statement own(db_, "SELECT vector FROM events WHERE id=?");
  own.bind(id);
  if (!own.step()) return {};
  const std::vector<float> wanted = unit(own.floats(0));
  Statement s(db_,
              std::string("SELECT ") + columns + ", vector FROM events WHERE vector IS NOT NULL AND id<>?");
  s.bind(id);
  std::vector<SimilarEvent> out;
  const auto nearer = [](const SimilarEvent &a, const SimilarEvent &b) {
    return a.similarity > b.similarity;
  };
  while (s.step()) {
    const std::vector<float> v = unit(s.floats(17));
    if (v.size() != wanted.size()) continue; // of another model
    double dot = 0;
    for (std::size_t i = 0; i < v.size(); i++) dot += static_cast<double>(v[i]) * wanted[i];
    if (static_cast<int>(out.size()) == limit && dot <= out.back().similarity) continue;
    const SimilarEvent found{read_event(s), dot};
    out.insert(std::upper_bound(out.begin(), out.end(), found, nearer), found);
    if (static_cast<int>(out.size()) > limit) out.pop_back();
  }
  return out;
}

void EventStore::add_heat(const std::string &camera, double time, std::span<const float> cells) {
  const std::lock_guard guard(lock_);
  Statement old(db_, "SELECT cells FROM heat WHERE camera=? AND hour=?");
  old.bind(camera).bind(hour_of(time));
  std::vector<float> sum(cells.begin(), cells.end());
  if (old.step()) {
    const std::vector<float> before = old.floats(0);
    for (std::size_t i = 0; i < std::min(sum.size(), before.size()); i++) sum[i] += before[i];
  }
  Statement(db_, "INSERT OR REPLACE INTO heat(camera, hour, cells) VALUES(?,?,?)")
      .bind(camera)
      .bind(hour_of(time))
      .bind(std::span<const float>(sum))
      .run();
}

std::vector<float> EventStore::heat(const std::string &camera, double after, double before) const {
  std::vector<float> sum(static_cast<std::size_t>(heat_columns * heat_rows));
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT cells FROM heat WHERE camera=? AND hour>=? AND hour*3600.0<?");
  s.bind(camera).bind(hour_of(after)).bind(before);
  while (s.step()) {
    const std::vector<float> cells = s.floats(0);
    for (std::size_t i = 0; i < std::min(sum.size(), cells.size()); i++) sum[i] += cells[i];
  }
  return sum;
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

std::map<CrossingPlace, Crossings> EventStore::crossings(const std::string &camera, double after,
                                                         double before) const {
  std::map<CrossingPlace, Crossings> out;
  const std::lock_guard guard(lock_);
  Statement s(db_,
              "SELECT line, quarter, ins, outs FROM crossings WHERE camera=? AND quarter>=? AND quarter*?<?");
  s.bind(camera).bind(static_cast<std::int64_t>(std::floor(after / quarter))).bind(1. * quarter).bind(before);
  while (s.step()) out[{camera, s.text(0), s.integer(1)}] = {s.integer(2), s.integer(3)};
  return out;
}

void EventStore::forget_counts(double before) {
  const std::lock_guard guard(lock_);
  Statement(db_, "DELETE FROM heat WHERE hour*3600.0<?").bind(before).run();
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

std::int64_t EventStore::waiting(const std::string &box) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT count(*) FROM outbox WHERE box=?");
  s.bind(box);
  return s.step() ? s.integer(0) : 0;
}

std::vector<Event> EventStore::unfinished() const {
  const std::lock_guard guard(lock_);
  std::vector<Event> out;
  Statement s(db_, std::string("SELECT ") + columns +
                       ", max(start, updated) FROM events WHERE end IS NULL ORDER BY start, id");
  while (s.step()) {
    out.push_back(read_event(s));
    out.back().end_time = s.real(17);
  }
  return out;
}

} // namespace vigil::monitor
