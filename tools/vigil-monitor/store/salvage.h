// SPDX-License-Identifier: LGPL-2.1-or-later
// What to do with a database that is damaged: move it away, and copy from it what can still be read.
#pragma once

#include <functional>
#include <string>

namespace vigil::monitor {

// Moves `path` and its write-ahead log to a name with ".damaged-TIME", and returns that name. Throws
// Error::write when it cannot.
std::string move_aside(const std::string &path);

// The same, as the end of a sentence for people that says what is wrong with `path`: its new name, or why it
// cannot have one.
std::string set_aside(const std::string &path);

// The same for a file of the program's own that it may not read or write, and for a folder in its place.
// Returns what was done, for people; empty where nothing is wrong or there is no such file.
std::string move_barred_aside(const std::string &path);

// A write-ahead log that cannot be read, or a folder in its place, makes its database one that cannot be
// opened. Moves it to a name with ".damaged-TIME-wal", next to a copy of the database, to which it belongs.
// Returns what was done, for people; empty where the log can be read. Throws Error::write when it cannot be
// moved.
std::string move_unreadable_log_aside(const std::string &path);

// Whether SQLite finds its structure sound (PRAGMA quick_check). Throws DamagedDatabase when it does not;
// other errors as Sqlite does. A file that is not there is sound.
void check_database(const std::string &path);

// Copies the rows of `from` that can be read into the tables of the same names of `to`, which an EventStore
// has made: from the first row on, and from the last one back, until a row cannot be read. Rows that `to`
// has already stay as they are. Returns the number of rows of events that were copied; never throws for
// what `from` is.
int salvage(const std::string &from, const std::string &to,
            const std::function<void(const std::string &)> &log);

} // namespace vigil::monitor
