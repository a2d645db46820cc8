// SPDX-License-Identifier: LGPL-2.1-or-later
// Who has signed in. The browser gets a random word; the token itself is never in a cookie. Sessions are in
// memory: they end with the program.
#pragma once

#include "tokens.h"

#include <map>

namespace vigil::monitor {

class Sessions {
 public:
  static constexpr double longest = 30 * 86400.0; // seconds
  // `now` is monotonic. When there are too many, the oldest ends.
  std::string begin(const Token &, double now);
  std::optional<Token> find(const std::string &id, double now);
  void end(const std::string &id);
  void keep_only(const std::vector<Token> &); // ends those of other tokens

 private:
  struct Session {
    Token token;
    double until;
  };
  static constexpr std::size_t most = 1024;
  std::mutex lock_;
  std::map<std::string, Session> sessions_;
};

} // namespace vigil::monitor
