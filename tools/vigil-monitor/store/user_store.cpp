// SPDX-License-Identifier: LGPL-2.1-or-later
#include "user_store.h"

#include "administrators.h"
#include "common/error.h"

#include <nlohmann/json.hpp>

namespace vigil::monitor {
namespace {

// A list that cannot be read shows nothing, rather than all.
std::vector<std::string> names_of(const std::string &text) {
  std::vector<std::string> out;
  const auto list = nlohmann::json::parse(text, nullptr, false);
  if (list.is_array())
    for (const auto &name : list)
      if (name.is_string()) out.push_back(name);
  return out;
}

std::optional<std::string> text_of(const std::optional<std::vector<std::string>> &names) {
  if (!names) return std::nullopt;
  return nlohmann::json(*names).dump();
}

} // namespace

void make_user_tables(Sqlite &db) {
  db.execute(
      "CREATE TABLE IF NOT EXISTS users(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
      " role TEXT NOT NULL, password TEXT NOT NULL, password_version INTEGER NOT NULL, cameras TEXT,"
      " created REAL NOT NULL);"
      "CREATE TABLE IF NOT EXISTS sessions(id TEXT PRIMARY KEY, secret TEXT NOT NULL UNIQUE,"
      " user INTEGER NOT NULL, password_version INTEGER NOT NULL, token TEXT NOT NULL, name TEXT NOT NULL,"
      " begun REAL NOT NULL, used REAL NOT NULL, until REAL NOT NULL, address TEXT NOT NULL,"
      " agent TEXT NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE IF NOT EXISTS user_changes(id INTEGER PRIMARY KEY CHECK(id=0), n INTEGER NOT NULL)");
}

std::string marks_of_user(std::int64_t id) {
  return "user:" + std::to_string(id);
}

UserStore::UserStore(const std::string &path) : path_(path), db_(path) {}

namespace {

constexpr const char *administrators = "SELECT count(*) FROM users WHERE role='admin'";

} // namespace

void UserStore::remember() const {
  const std::lock_guard guard(lock_);
  if (one_integer(db_, administrators) > 0)
    remember_administrators(path_, true);
  else if (!remembered_administrators(path_))
    remember_administrators(path_, false);
}

void UserStore::forget_last(const std::string &role_before) const {
  if (role_before == "admin" && one_integer(db_, administrators) == 0) remember_administrators(path_, false);
}

std::string UserStore::role_of(std::int64_t id) const {
  Statement s(db_, "SELECT role FROM users WHERE id=?");
  s.bind(id);
  return s.step() ? s.text(0) : "";
}

void UserStore::count_change() {
  db_.execute("INSERT INTO user_changes(id, n) VALUES(0, 1) ON CONFLICT(id) DO UPDATE SET n=n+1");
}

std::int64_t UserStore::changes() const {
  const std::lock_guard guard(lock_);
  return one_integer(db_, "SELECT n FROM user_changes");
}

std::vector<StoredUser> UserStore::users() const {
  const std::lock_guard guard(lock_);
  Statement s(db_,
              "SELECT id, name, role, password, password_version, cameras, created FROM users ORDER BY name");
  std::vector<StoredUser> out;
  while (s.step()) {
    out.push_back({s.integer(0), s.text(1), s.text(2), s.text(3), s.integer(4), std::nullopt, s.real(6)});
    if (!s.is_null(5)) out.back().cameras = names_of(s.text(5));
  }
  return out;
}

bool UserStore::add(const StoredUser &u) {
  const std::lock_guard guard(lock_);
  if (u.role == "admin") remember_administrators(path_, true); // first: a crash closes rather than opens
  Transaction both(db_);
  Statement(db_, "INSERT OR IGNORE INTO users(name, role, password, password_version, cameras, created)"
                 " VALUES(?,?,?,?,?,?)")
      .bind(u.name)
      .bind(u.role)
      .bind(u.password)
      .bind(u.password_version)
      .bind(text_of(u.cameras))
      .bind(u.created)
      .run();
  const bool added = db_.changes() > 0;
  count_change();
  both.commit();
  return added;
}

bool UserStore::change(const StoredUser &u) {
  const std::lock_guard guard(lock_);
  const std::string before = role_of(u.id);
  if (u.role == "admin" && !before.empty()) remember_administrators(path_, true);
  Transaction both(db_);
  Statement(db_, "UPDATE users SET role=?, password=?, password_version=?, cameras=? WHERE id=?")
      .bind(u.role)
      .bind(u.password)
      .bind(u.password_version)
      .bind(text_of(u.cameras))
      .bind(u.id)
      .run();
  const bool there = db_.changes() > 0;
  Statement(db_, "DELETE FROM sessions WHERE user=? AND password_version<>?")
      .bind(u.id)
      .bind(u.password_version)
      .run();
  count_change();
  both.commit();
  forget_last(before);
  return there;
}

bool UserStore::remove(std::int64_t id) {
  const std::lock_guard guard(lock_);
  const std::string before = role_of(id);
  Transaction all(db_);
  Statement(db_, "DELETE FROM sessions WHERE user=?").bind(id).run();
  Statement(db_, "DELETE FROM seen WHERE who=?").bind(marks_of_user(id)).run();
  Statement(db_, "DELETE FROM push_devices WHERE owner=?").bind(marks_of_user(id)).run();
  Statement(db_, "DELETE FROM users WHERE id=?").bind(id).run();
  const bool was_there = db_.changes() > 0;
  count_change();
  all.commit();
  forget_last(before);
  return was_there;
}

std::vector<StoredSession> UserStore::sessions() const {
  const std::lock_guard guard(lock_);
  Statement s(db_,
              "SELECT id, secret, user, password_version, token, name, begun, used, until, address, agent"
              " FROM sessions ORDER BY begun, id");
  std::vector<StoredSession> out;
  while (s.step())
    out.push_back({s.text(0), s.text(1), s.integer(2), s.integer(3), s.text(4), s.text(5), s.real(6),
                   s.real(7), s.real(8), s.text(9), s.text(10)});
  return out;
}

void UserStore::put(const StoredSession &session) {
  const std::lock_guard guard(lock_);
  Statement(db_,
            "INSERT OR REPLACE INTO sessions(id, secret, user, password_version, token, name, begun, used,"
            " until, address, agent) VALUES(?,?,?,?,?,?,?,?,?,?,?)")
      .bind(session.id)
      .bind(session.secret)
      .bind(session.user)
      .bind(session.password_version)
      .bind(session.token)
      .bind(session.name)
      .bind(session.begun)
      .bind(session.used)
      .bind(session.until)
      .bind(session.address)
      .bind(session.agent)
      .run();
}

void UserStore::set_used(const std::string &session, double time) {
  const std::lock_guard guard(lock_);
  Statement(db_, "UPDATE sessions SET used=? WHERE id=?").bind(time).bind(session).run();
}

void UserStore::end_session(const std::string &id) {
  const std::lock_guard guard(lock_);
  Statement(db_, "DELETE FROM sessions WHERE id=?").bind(id).run();
}

} // namespace vigil::monitor
