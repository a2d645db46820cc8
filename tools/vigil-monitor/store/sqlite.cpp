// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sqlite.h"

#include "common/error.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace vigil::monitor {

Sqlite::Sqlite(const std::string &path, Mode mode) : path_(path) {
  const int flags =
      mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (sqlite3_open_v2(path.c_str(), &db_, flags | SQLITE_OPEN_FULLMUTEX, nullptr) != SQLITE_OK) {
    const std::string why = db_ ? sqlite3_errmsg(db_) : "out of memory";
    sqlite3_close(db_);
    struct stat info {};
    if (stat(path.c_str(), &info) == 0) {
      if (S_ISDIR(info.st_mode)) throw DamagedDatabase(text("the database ", path, " is a folder"));
      if (access(path.c_str(), R_OK) != 0)
        throw DamagedDatabase(text("the database ", path, " cannot be read: ", std::strerror(errno)));
    }
    fail(Error::Kind::io, "cannot open the database ", path, ": ", why,
         "; is the folder there, and may it be written?");
  }
  constexpr int wait_ms = 5000; // for the other connection's transaction
  sqlite3_busy_timeout(db_, wait_ms);
  try {
    // FULL: a commit is on the disk, so that a power cut takes nothing that was reported as stored.
    if (mode == Mode::read_write)
      execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=16777216;");
  } catch (...) {
    sqlite3_close(db_);
    throw;
  }
}

Sqlite::~Sqlite() {
  sqlite3_close(db_);
}

void Sqlite::refuse(const char *doing) const {
  const int code = sqlite3_errcode(db_);
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
    throw DamagedDatabase(text("database ", path_, ": ", doing, ": ", sqlite3_errmsg(db_)));
  if (code == SQLITE_INTERRUPT) // by the budget of a question
    fail(Error::Kind::io, "the database did not answer in time; ask for less, or try again");
  fail(Error::Kind::write, "database ", path_, ": ", doing, ": ", sqlite3_errmsg(db_));
}

void Sqlite::execute(const char *statements) {
  if (sqlite3_exec(db_, statements, nullptr, nullptr, nullptr) != SQLITE_OK) refuse("cannot be used");
}

Statement::Statement(const Sqlite &db, const std::string &sql) : db_(db) {
  if (sqlite3_prepare_v2(db.get(), sql.c_str(), static_cast<int>(sql.size()), &statement_, nullptr) !=
      SQLITE_OK)
    db.refuse(sql.c_str());
}

void Statement::check(int result) const {
  if (result != SQLITE_OK) db_.refuse(sqlite3_sql(statement_));
}

Statement &Statement::bind(std::int64_t v) {
  check(sqlite3_bind_int64(statement_, ++bound_, v));
  return *this;
}
Statement &Statement::bind(double v) {
  check(sqlite3_bind_double(statement_, ++bound_, v));
  return *this;
}
Statement &Statement::bind(std::string_view v) {
  check(sqlite3_bind_text(statement_, ++bound_, v.data() ? v.data() : "", static_cast<int>(v.size()),
                          SQLITE_TRANSIENT));
  return *this;
}
Statement &Statement::bind(std::span<const float> v) {
  if (v.empty()) return bind_null();
  check(
      sqlite3_bind_blob(statement_, ++bound_, v.data(), static_cast<int>(v.size_bytes()), SQLITE_TRANSIENT));
  return *this;
}
Statement &Statement::bind(std::span<const std::uint8_t> v) {
  check(sqlite3_bind_blob(statement_, ++bound_,
                          v.data() ? v.data() : reinterpret_cast<const std::uint8_t *>(""),
                          static_cast<int>(v.size()), SQLITE_TRANSIENT));
  return *this;
}
Statement &Statement::bind_null() {
  check(sqlite3_bind_null(statement_, ++bound_));
  return *this;
}

Statement &Statement::bind(const sqlite3_value *v) {
  check(sqlite3_bind_value(statement_, ++bound_, v));
  return *this;
}

bool Statement::step() {
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) db_.refuse(sqlite3_sql(statement_));
  return false;
}

std::string Statement::text(int column) const {
  const auto *s = reinterpret_cast<const char *>(sqlite3_column_text(statement_, column));
  return s ? std::string(s, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)))
           : std::string();
}

std::vector<float> Statement::floats(int column) const {
  const void *data = sqlite3_column_blob(statement_, column);
  std::vector<float> out(static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)) / sizeof(float));
  if (data && !out.empty()) std::memcpy(out.data(), data, out.size() * sizeof(float));
  return out;
}

std::span<const std::uint8_t> Statement::bytes(int column) const {
  const auto *data = static_cast<const std::uint8_t *>(sqlite3_column_blob(statement_, column));
  return {data, data ? static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)) : 0};
}

void add_column(Sqlite &db, const std::string &table, const std::string &name, const std::string &type) {
  {
    Statement s(db, "SELECT 1 FROM pragma_table_info(?) WHERE name=?");
    s.bind(table).bind(name);
    if (s.step()) return;
  }
  db.execute(("ALTER TABLE " + table + " ADD COLUMN " + name + " " + type).c_str());
}

std::int64_t one_integer(const Sqlite &db, const char *sql) {
  Statement s(db, sql);
  return s.step() ? s.integer(0) : 0;
}

} // namespace vigil::monitor
