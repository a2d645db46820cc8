// SPDX-License-Identifier: LGPL-2.1-or-later
// Users from the command line, while the program watches or while it does not: --add-user and the like.
#pragma once

#include <string>

namespace vigil::monitor {

struct UsersCommand {
  std::string add, remove, set_password; // a name: what to do; at most one of them
  bool list = false;
  std::string role, cameras; // of --add-user; cameras: names with commas in between, empty: those of the role
  bool given() const { return list || !add.empty() || !remove.empty() || !set_password.empty(); }
};

// Passwords come from standard input, or from the terminal where that is one. Throws Error.
void manage_users(const UsersCommand &, const std::string &storage);

} // namespace vigil::monitor
