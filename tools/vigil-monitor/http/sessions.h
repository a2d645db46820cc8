// SPDX-License-Identifier: LGPL-2.1-or-later
// Who has signed in. The browser gets a random word; neither that word nor a token is stored, only hashes of
// them. Sessions outlive the program. All methods may be called from any thread.
#pragma once

#include "../store/user_store.h"
#include "tokens.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

class Sessions {
 public:
  static constexpr double longest = 30 * 86400.0; // seconds
  using Log = std::function<void(const std::string &)>;
  // Reads those of before. `now`, everywhere, is seconds since 1970.
  Sessions(UserStore &, const Tokens &, Log, double now);

  struct From {
    std::string address, agent; // the browser's own words
  };
  // The word for the cookie. When there are too many, the one that would end first ends. A session that the
  // disk refuses lasts until the program ends.
  std::string begin(const StoredUser &, const From &, double now);
  std::string begin(const Token &, const From &, double now);

  struct Found {
    StoredSession session;
    std::optional<Token> token; // of one that a token began
  };
  // Nothing: the word opens no session, or its token is none any more.
  std::optional<Found> find(const std::string &word, double now);

  std::vector<StoredSession> all(double now) const;                               // the newest first
  bool is_known(std::int64_t user, const std::string &address, double now) const; // a session from there
  // False when there is none of this id. Throws Error::write when the disk refuses it: the session has ended,
  // but would come back with the program's next start.
  bool end(const std::string &id);
  // Ends those of whom that says true; their ids.
  std::vector<std::string> end_where(const std::function<bool(const Found &)> &);

 private:
  struct Entry {
    Found found;
    double stored_use = 0; // the time of use that is in the database
  };
  static constexpr std::size_t most = 1024;
  std::string begin(StoredSession, const Token *, double now);
  void forget(const std::string &id); // in the database
  UserStore &store_;
  const Tokens &tokens_;
  const Log log_;
  mutable std::mutex lock_;
  std::map<std::string, Entry> sessions_; // by the hash of the word
};

} // namespace vigil::monitor
