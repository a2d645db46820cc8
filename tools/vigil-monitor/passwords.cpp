// SPDX-License-Identifier: LGPL-2.1-or-later
#include "passwords.h"

#include "common/error.h"

#ifdef VIGIL_HAVE_SODIUM
#include <sodium.h>
#endif

namespace vigil::monitor {

const char *const no_passwords =
    "this program was built without libsodium, which keeps passwords: there are no "
    "users, only tokens; install libsodium-dev and build it again";

void check_new_password(const std::string &user, const std::string &password) {
  constexpr std::size_t shortest = 10, longest = 256;
  if (password.size() < shortest || password.size() > longest)
    fail(Error::Kind::bad_setting, "a password has ", shortest, " to ", longest, " characters; this one has ",
         password.size());
  if (password.find_first_of(std::string_view("\0\n\r", 3)) != password.npos)
    fail(Error::Kind::bad_setting, "a password is one line");
  if (password == user) fail(Error::Kind::bad_setting, "a password is not the name of its user");
}

#ifdef VIGIL_HAVE_SODIUM

bool have_passwords() {
  static const bool works = sodium_init() >= 0;
  return works;
}

std::string password_hash(const std::string &password) {
  if (!have_passwords()) fail(Error::Kind::no_device, "libsodium does not work on this machine");
  char out[crypto_pwhash_STRBYTES];
  if (crypto_pwhash_str_alg(out, password.data(), password.size(), crypto_pwhash_OPSLIMIT_INTERACTIVE,
                            crypto_pwhash_MEMLIMIT_INTERACTIVE, crypto_pwhash_ALG_ARGON2ID13))
    fail(Error::Kind::no_memory, "there is no memory to look at a password; it needs ",
         crypto_pwhash_MEMLIMIT_INTERACTIVE >> 20, " MiB");
  return out;
}

bool is_password(const std::string &hash, const std::string &password) {
  if (!have_passwords()) return false;
  return crypto_pwhash_str_verify(hash.c_str(), password.data(), password.size()) == 0;
}

#else

bool have_passwords() {
  return false;
}
std::string password_hash(const std::string &) {
  fail(Error::Kind::no_device, no_passwords);
}
bool is_password(const std::string &, const std::string &) {
  return false;
}

#endif

} // namespace vigil::monitor
