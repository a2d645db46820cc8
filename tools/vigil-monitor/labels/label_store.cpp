// SPDX-License-Identifier: LGPL-2.1-or-later
#include "label_store.h"

#include "kernels/label/appearance.h"

#include <algorithm>

namespace vigil::monitor {
namespace {

EventLabel read_label(const Statement &s, int column) {
  return {s.text(column), s.real(column + 1), static_cast<EventLabel::By>(s.integer(column + 2))};
}

constexpr const char *by_score = " ORDER BY score DESC, label";

} // namespace

void make_label_tables(Sqlite &db) {
  db.execute(
      "CREATE TABLE IF NOT EXISTS event_tracks(event TEXT NOT NULL, track INTEGER NOT NULL, views INTEGER "
      "NOT "
      "NULL, shape BLOB NOT NULL, label TEXT NOT NULL, score REAL NOT NULL, PRIMARY KEY(event, track))"
      " WITHOUT ROWID;"
      "CREATE TABLE IF NOT EXISTS event_looks(event TEXT PRIMARY KEY, looks BLOB, codebook TEXT NOT NULL) "
      "WITHOUT ROWID;"
      "CREATE TABLE IF NOT EXISTS event_labels(event TEXT NOT NULL, label TEXT NOT NULL, score REAL NOT NULL,"
      " by_whom INTEGER NOT NULL, PRIMARY KEY(event, label)) WITHOUT ROWID;"
      "CREATE INDEX IF NOT EXISTS event_labels_by_label ON event_labels(label, event);"
      "CREATE TRIGGER IF NOT EXISTS labels_go_with_event AFTER DELETE ON events BEGIN"
      " DELETE FROM event_tracks WHERE event=OLD.id; DELETE FROM event_looks WHERE event=OLD.id;"
      " DELETE FROM event_labels WHERE event=OLD.id; END;");
  static_assert(static_cast<int>(EventLabel::By::shape) == 2);
  add_column(db, "event_tracks", "by_whom", "INTEGER NOT NULL DEFAULT 2"); // of the label
}

LabelStore::LabelStore(const std::string &path) : db_(path) {}

bool LabelStore::put_track(const std::string &event, const EventTrack &t) {
  const std::lock_guard guard(lock_);
  Statement(db_, "INSERT OR REPLACE INTO event_tracks(event, track, views, shape, label, score, by_whom)"
                 " SELECT id, ?, ?, ?, ?, ?, ? FROM events WHERE id=?")
      .bind(t.track)
      .bind(t.views)
      .bind(std::span<const float>(t.shape))
      .bind(t.guess)
      .bind(t.guess_score)
      .bind(static_cast<int>(t.guess_by))
      .bind(event)
      .run();
  return db_.changes() > 0;
}

std::vector<EventTrack> LabelStore::tracks(const std::string &event) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT track, views, shape, label, score, by_whom FROM event_tracks WHERE event=?"
                   " ORDER BY views DESC, track LIMIT 64");
  s.bind(event);
  std::vector<EventTrack> out;
  while (s.step()) {
    EventTrack t;
    t.track = s.integer(0);
    t.views = s.integer(1);
    // Of a version that knows other features: they are not known.
    if (const auto shape = s.floats(2); shape.size() == t.shape.size())
      std::copy(shape.begin(), shape.end(), t.shape.begin());
    t.guess = s.text(3);
    t.guess_score = s.real(4);
    t.guess_by = static_cast<EventLabel::By>(s.integer(5));
    out.push_back(t);
  }
  return out;
}

Looks LabelStore::looks(const std::string &event) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, "SELECT looks, codebook FROM event_looks WHERE event=?");
  s.bind(event);
  if (!s.step()) return {};
  Looks out{s.floats(0), s.text(1)};
  if (out.vector.size() != label::appearance_length) out.vector.clear(); // of another version
  return out;
}

void LabelStore::put_looks(const std::string &event, const Looks &looks) {
  const std::lock_guard guard(lock_);
  Statement(db_, "INSERT OR REPLACE INTO event_looks(event, looks, codebook) SELECT id, ?, ? FROM events"
                 " WHERE id=?")
      .bind(std::span<const float>(looks.vector))
      .bind(looks.codebook)
      .bind(event)
      .run();
}

std::vector<std::string> LabelStore::describable(const std::string &before, int limit) const {
  const std::lock_guard guard(lock_);
  // The ids begin with the time.
  Statement s(db_, "SELECT event FROM (SELECT event FROM event_tracks UNION SELECT event FROM event_looks) "
                   "WHERE ?1='' OR event<?1 ORDER BY event DESC LIMIT ?2");
  s.bind(before).bind(limit);
  std::vector<std::string> out;
  while (s.step()) out.push_back(s.text(0));
  return out;
}

std::vector<std::string> LabelStore::unnamed(const VisibleCameras &visible, int limit) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT id FROM events WHERE EXISTS(SELECT 1 FROM event_tracks WHERE event=id)"
                               " AND NOT EXISTS(SELECT 1 FROM event_labels WHERE event=id AND by_whom=0)") +
                       (visible.all() ? "" : " AND camera IN (SELECT value FROM json_each(?))") +
                       " ORDER BY start DESC LIMIT ?");
  if (!visible.all()) s.bind(nlohmann::json(*visible.only).dump());
  s.bind(limit);
  std::vector<std::string> out;
  while (s.step()) out.push_back(s.text(0));
  return out;
}

EventLabels LabelStore::labels_locked(const std::string &event) const {
  Statement s(db_, std::string("SELECT label, score, by_whom FROM event_labels WHERE event=?") + by_score);
  s.bind(event);
  EventLabels out;
  while (s.step()) out.push_back(read_label(s, 0));
  return out;
}

EventLabels LabelStore::labels(const std::string &event) const {
  const std::lock_guard guard(lock_);
  return labels_locked(event);
}

std::map<std::string, EventLabels> LabelStore::labels(std::span<const std::string> events) const {
  const std::lock_guard guard(lock_);
  Statement s(db_, std::string("SELECT event, label, score, by_whom FROM event_labels WHERE event IN"
                               " (SELECT value FROM json_each(?))") +
                       by_score);
  s.bind(nlohmann::json(std::vector<std::string>(events.begin(), events.end())).dump());
  std::map<std::string, EventLabels> out;
  while (s.step()) out[s.text(0)].push_back(read_label(s, 1));
  return out;
}

bool LabelStore::set_guesses_locked(const std::string &event, const EventLabels &guesses) {
  const EventLabels before = labels_locked(event);
  EventLabels after;
  for (const EventLabel &l : before)
    if (l.by == EventLabel::By::person) after.push_back(l);
  const std::size_t words = after.size();
  const bool named = words > 0 && after[0].score > 0;
  for (const EventLabel &g : guesses) { // what a person said is not guessed about
    const bool said =
        std::any_of(after.begin(), after.end(), [&](const auto &l) { return l.label == g.label; });
    if (!said && !named) after.push_back(g);
  }
  const auto by_score_and_label = [](const EventLabel &a, const EventLabel &b) {
    return a.score != b.score ? a.score > b.score : a.label < b.label;
  };
  EventLabels sorted = after;
  std::sort(sorted.begin(), sorted.end(), by_score_and_label);
  if (sorted == before) return false;
  Statement(db_, "DELETE FROM event_labels WHERE event=? AND by_whom<>0").bind(event).run();
  for (std::size_t i = words; i < after.size(); i++)
    Statement(
        db_,
        "INSERT INTO event_labels(event, label, score, by_whom) SELECT id, ?, ?, ? FROM events WHERE id=?")
        .bind(after[i].label)
        .bind(after[i].score)
        .bind(static_cast<int>(after[i].by))
        .bind(event)
        .run();
  return true;
}

std::vector<std::string>
LabelStore::set_guesses(std::span<const std::pair<std::string, EventLabels>> guesses) {
  const std::lock_guard guard(lock_);
  std::vector<std::string> changed;
  Transaction all(db_);
  for (const auto &[event, labels] : guesses)
    if (set_guesses_locked(event, labels)) changed.push_back(event);
  if (!changed.empty()) all.commit();
  return changed;
}

void LabelStore::set_word(const std::set<std::string> &events, const std::string &label, double score) {
  const std::lock_guard guard(lock_);
  Transaction all(db_);
  for (const std::string &event : events) {
    // An event has one name: another one that a person gave, and all guesses, make place for it.
    if (score > 0)
      Statement(db_, "DELETE FROM event_labels WHERE event=?").bind(event).run();
    else
      Statement(db_, "DELETE FROM event_labels WHERE event=? AND label=?").bind(event).bind(label).run();
    Statement(
        db_,
        "INSERT INTO event_labels(event, label, score, by_whom) SELECT id, ?, ?, 0 FROM events WHERE id=?")
        .bind(label)
        .bind(score)
        .bind(event)
        .run();
  }
  all.commit();
}

void LabelStore::remove_words(const std::set<std::string> &events) {
  const std::lock_guard guard(lock_);
  Transaction all(db_);
  for (const std::string &event : events)
    Statement(db_, "DELETE FROM event_labels WHERE event=? AND by_whom=0").bind(event).run();
  all.commit();
}

void LabelStore::remove_label(const std::string &label) {
  const std::lock_guard guard(lock_);
  Statement(db_, "DELETE FROM event_labels WHERE label=?").bind(label).run();
}

} // namespace vigil::monitor
