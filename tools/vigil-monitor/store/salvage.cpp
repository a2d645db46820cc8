// SPDX-License-Identifier: LGPL-2.1-or-later
#include "salvage.h"

#include "common/error.h"
#include "common/file.h"
#include "common/name_aside.h"
#include "sqlite.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> columns_of(const Sqlite &db, const std::string &table) {
  Statement s(db, "SELECT name FROM pragma_table_info(?)");
  s.bind(table);
  std::vector<std::string> out;
  while (s.step()) out.push_back(s.text(0));
  return out;
}

std::string joined(const std::vector<std::string> &names, const char *each = nullptr) {
  std::string out;
  for (const std::string &n : names) out += (out.empty() ? "" : ", ") + (each ? std::string(each) : n);
  return out;
}

// Copies one table in one direction until its end, or until a row cannot be read. Returns the rows that were
// copied.
int copy_table(const Sqlite &from, Sqlite &to, const std::string &table,
               const std::vector<std::string> &columns, bool backwards) {
  int copied = 0;
  Transaction all(to);
  try {
    Statement read(from, "SELECT " + joined(columns) + " FROM " + table + " NOT INDEXED" +
                             (backwards ? " ORDER BY rowid DESC" : ""));
    while (read.step()) {
      Statement write(to, "INSERT OR IGNORE INTO " + table + "(" + joined(columns) + ") VALUES(" +
                              joined(columns, "?") + ")");
      for (std::size_t i = 0; i < columns.size(); i++) write.bind(sqlite3_column_value(read.get(), int(i)));
      write.run();
      copied += to.changes();
    }
  } catch (const DamagedDatabase &) { // from here on nothing can be read
  }
  all.commit();
  return copied;
}

bool is_barred(const std::string &path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return false;
  return S_ISDIR(info.st_mode) || (access(path.c_str(), R_OK | W_OK) != 0 && errno == EACCES);
}

} // namespace

std::string move_unreadable_log_aside(const std::string &path) {
  const std::string log = path + "-wal", index = path + "-shm";
  if (!is_barred(log) && !is_barred(index)) return "";
  const std::string aside = name_aside(path, {"-wal", "-shm"});
  const auto move = [&](const std::string &file, const char *end) {
    if (std::rename(file.c_str(), (aside + end).c_str()) != 0 && errno != ENOENT)
      fail(Error::Kind::write, "cannot move ", file, ", which cannot be read, aside: ", std::strerror(errno));
  };
  const bool barred = is_barred(log);
  std::error_code error;
  if (barred) {
    fs::copy_file(path, aside, error); // as far as there is room
    move(log, "-wal");
  }
  move(index, "-shm"); // SQLite makes it anew
  sync_folder_of(path);
  return barred ? text("the log ", log, " of the database cannot be read, and is now ", aside,
                       "-wal; what was stored last is in it alone")
                : text(index, " cannot be read, and is now ", aside, "-shm; nothing is lost by that");
}

std::string move_aside(const std::string &path) {
  const std::string aside = name_aside(path, {"-wal", "-shm"});
  if (std::rename(path.c_str(), aside.c_str()) != 0)
    fail(Error::Kind::write, "cannot move the damaged file ", path, " aside: ", std::strerror(errno));
  for (const char *end : {"-wal", "-shm"}) {
    std::error_code error;
    if (fs::exists(path + end, error)) fs::rename(path + end, aside + end, error);
  }
  sync_folder_of(path);
  return aside;
}

std::string set_aside(const std::string &path) {
  try {
    return "; it is set aside as " + move_aside(path);
  } catch (const Error &why) {
    return text("; ", why.what());
  }
}

std::string move_barred_aside(const std::string &path) {
  if (!is_barred(path)) return "";
  return text(path, " is a folder or cannot be read and written, and is now ", move_aside(path));
}

void check_database(const std::string &path) {
  std::error_code error;
  if (!fs::exists(path, error)) return;
  const Sqlite db(path);
  Statement s(db, "PRAGMA quick_check(1)");
  const std::string found = s.step() ? s.text(0) : "no answer";
  if (found != "ok") throw DamagedDatabase(text("database ", path, ": ", found.substr(0, 200)));
}

int salvage(const std::string &from, const std::string &to,
            const std::function<void(const std::string &)> &log) {
  int events = 0;
  try {
    const Sqlite old(from);
    Sqlite fresh(to);
    for (const char *table : {"events", "outbox", "crossings", "heat", "heat_quarters", "cameras", "clock",
                              "seen", "motion_minutes", "segments", "gaps", "recording_days", "users",
                              "sessions", "push_devices", "event_tracks", "event_looks", "event_labels"}) {
      try {
        const std::vector<std::string> had = columns_of(old, table);
        std::vector<std::string> columns;
        for (const std::string &c : columns_of(fresh, table))
          if (std::find(had.begin(), had.end(), c) != had.end()) columns.push_back(c);
        if (columns.empty()) continue;
        int copied = copy_table(old, fresh, table, columns, false);
        const bool has_rowid = !std::strcmp(table, "events") || !std::strcmp(table, "outbox") ||
                               !std::strcmp(table, "heat") || !std::strcmp(table, "users");
        if (has_rowid) copied += copy_table(old, fresh, table, columns, true);
        if (!std::strcmp(table, "events")) events = copied;
      } catch (const Error &e) {
        log(text("of the table ", table, " nothing could be read: ", e.what()));
      }
    }
  } catch (const Error &e) {
    log(e.what());
  }
  return events;
}

} // namespace vigil::monitor
