// SPDX-License-Identifier: LGPL-2.1-or-later
// Users and sessions in the database of events, over a connection of its own: one program may watch cameras
// while another one, on the command line, adds a user. All methods may be called from any thread, and throw
// as those of an EventStore do.
#pragma once

#include "sqlite.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct StoredUser {
  std::int64_t id = 0;               // never given to another user, also of the same name
  std::string name, role, password;  // the password as its hash
  std::int64_t password_version = 0; // sessions that another password began are void
  std::optional<std::vector<std::string>> cameras;
  double created = 0;
  bool operator==(const StoredUser &) const = default;
};

// Of one that signed in: a user, or somebody with a token.
struct StoredSession {
  std::string id;     // for lists; it opens nothing
  std::string secret; // a hash of the random word in the cookie
  std::int64_t user = 0, password_version = 0;
  std::string token;                     // a hash of the word in the cookie and the token; empty: of a user
  std::string name;                      // of user or token, for lists
  double begun = 0, used = 0, until = 0; // seconds since 1970
  std::string address, agent;
};

void make_user_tables(Sqlite &); // where they are not there

class UserStore {
 public:
  explicit UserStore(const std::string &path); // that of an EventStore, which has made the tables

  // Notes whether there are administrators, where no note says yet that there were (administrators.h). What
  // changes users does so too. Throws Error::write.
  void remember() const;

  std::int64_t changes() const; // another number after each change of a user by any program
  std::vector<StoredUser> users() const;
  // Without its id. False when there is one of this name.
  bool add(const StoredUser &);
  bool change(const StoredUser &); // by its id; false: it is gone
  bool remove(std::int64_t id);    // with its sessions, its devices, and the marks of what it has seen

  std::vector<StoredSession> sessions() const;
  void put(const StoredSession &);
  void set_used(const std::string &session, double time);
  void end_session(const std::string &id);

 private:
  void count_change(); // within a transaction
  // Notes that there is none, where the one that has gone was the last.
  void forget_last(const std::string &role_before) const;
  std::string role_of(std::int64_t id) const;
  const std::string path_;
  mutable std::mutex lock_;
  Sqlite db_;
};

// Whose marks of seen events are a user's: no token has such a name.
std::string marks_of_user(std::int64_t id);

} // namespace vigil::monitor
