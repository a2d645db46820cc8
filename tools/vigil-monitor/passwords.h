// SPDX-License-Identifier: LGPL-2.1-or-later
// Passwords of users as argon2id hashes, by libsodium. A hash takes some tens of milliseconds and 64 MiB.
#pragma once

#include <string>

namespace vigil::monitor {

bool have_passwords();                 // false: this program was built without libsodium
extern const char *const no_passwords; // what it says then

// Throws Error::bad_setting when it is too short or too long, or is the user's name.
void check_new_password(const std::string &user, const std::string &password);

// With a salt of its own. Throws Error::no_device without libsodium, Error::no_memory where that is short.
std::string password_hash(const std::string &password);
// In a time that does not depend on the password.
bool is_password(const std::string &hash, const std::string &password);

} // namespace vigil::monitor
