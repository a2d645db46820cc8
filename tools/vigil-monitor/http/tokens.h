// SPDX-License-Identifier: LGPL-2.1-or-later
// The token file: who may do what.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

enum class Role { none, view, operate, admin }; // each may do all that those before may
const char *role_name(Role);                    // none, view, operator, admin

struct Token {
  Role role = Role::none;
  std::string text, name; // the name is for logs
  bool operator==(const Token &) const = default;
};

// For the program's own token file: one that cannot be read, or holds nothing, is moved to a name with
// ".damaged-TIME". Returns what was done, for people; empty where nothing was. Throws Error::io and
// Error::write.
std::string move_damaged_tokens_aside(const std::string &file);

class Tokens {
 public:
  // A file of lines "admin TOKEN [NAME]" and "view TOKEN [NAME]"; made, mode 0600, when it is not there. An
  // empty name: no tokens. Throws Error::bad_setting, Error::io or Error::write.
  explicit Tokens(std::string file);
  std::optional<Token> find(std::string_view token) const; // in a time that does not depend on the token
  std::optional<Token> find_where(const std::function<bool(const Token &)> &) const;
  bool none() const;

  std::vector<Token> read() const; // the file as it is now; throws as the constructor does
  void use(std::vector<Token>);

 private:
  const std::string file_;
  mutable std::mutex lock_;
  std::vector<Token> tokens_;
};

std::string random_word(); // 32 letters and digits that nobody can guess

} // namespace vigil::monitor
