// SPDX-License-Identifier: LGPL-2.1-or-later
// SQLite with owners and exceptions. A connection belongs to one thread at a time; its user holds a lock.
#pragma once

#include "common/error.h"

#include <cstdint>
#include <optional>
#include <span>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

// The file is no database, is damaged, or cannot be read. It may be moved away; nothing else helps.
class DamagedDatabase : public Error {
 public:
  explicit DamagedDatabase(const std::string &what) : Error(Kind::bad_data, what) {}
};

class Sqlite {
 public:
  enum class Mode { read_write, read_only };
  // Opens in WAL mode; read_write makes the file when it is not there, and each transaction is on the disk
  // when it has been committed. Throws Error::io or Error::write with SQLite's reason, DamagedDatabase when
  // the file is no database.
  explicit Sqlite(const std::string &path, Mode = Mode::read_write);
  ~Sqlite();
  Sqlite(const Sqlite &) = delete;
  Sqlite &operator=(const Sqlite &) = delete;

  void execute(const char *statements);
  sqlite3 *get() const { return db_; }
  int changes() const { return sqlite3_changes(db_); }
  // Throws Error::write with SQLite's reason; a full disk says so. DamagedDatabase when that is the reason.
  [[noreturn]] void refuse(const char *doing) const;

 private:
  sqlite3 *db_ = nullptr;
  std::string path_;
};

// All that is written while it lives becomes true at commit(), or none of it.
class Transaction {
 public:
  explicit Transaction(Sqlite &db) : db_(db) { db_.execute("BEGIN IMMEDIATE"); }
  ~Transaction() {
    if (!committed_) sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction &) = delete;
  Transaction &operator=(const Transaction &) = delete;
  void commit() {
    db_.execute("COMMIT");
    committed_ = true;
  }

 private:
  Sqlite &db_;
  bool committed_ = false;
};

// One statement; values are bound in their order.
class Statement {
 public:
  Statement(const Sqlite &, const std::string &sql);
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(std::int64_t);
  Statement &bind(int v) { return bind(static_cast<std::int64_t>(v)); }
  Statement &bind(double);
  Statement &bind(std::string_view);
  Statement &bind(const std::string &s) { return bind(std::string_view(s)); }
  Statement &bind(const char *s) { return bind(std::string_view(s)); }
  Statement &bind(std::span<const float>);        // a blob; null when it is empty
  Statement &bind(std::span<const std::uint8_t>); // a blob
  Statement &bind_null();
  Statement &bind(const sqlite3_value *); // as it is
  template <class T>
  Statement &bind(const std::optional<T> &v) {
    return v ? bind(*v) : bind_null();
  }

  sqlite3_stmt *get() const { return statement_; }
  bool step(); // true: there is a row
  void run() {
    while (step()) {
    }
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const;
  std::vector<float> floats(int column) const;
  std::span<const std::uint8_t> bytes(int column) const; // of a blob, until the next step
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  void check(int result) const;
  const Sqlite &db_;
  sqlite3_stmt *statement_ = nullptr;
  int bound_ = 0;
};

// Where the table has no column of this name yet.
void add_column(Sqlite &, const std::string &table, const std::string &name, const std::string &type);

// The first column of the first row; 0 without rows.
std::int64_t one_integer(const Sqlite &, const char *sql);

} // namespace vigil::monitor
