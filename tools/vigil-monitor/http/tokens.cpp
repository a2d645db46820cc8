// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokens.h"

#include "../config/secrets.h"
#include "../config/text.h"
#include "../store/own_files.h"
#include "../store/salvage.h"
#include "../store/secret_file.h"
#include "common/error.h"
#include "common/file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <sstream>
#include <sys/stat.h>

namespace vigil::monitor {
namespace {

constexpr std::size_t largest_file = 1 << 20;

// Programs send the token as it is, in a header.
bool fits_header(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != ',' && c != ';' && c != '\\';
  });
}

// Takes as long for a wrong token as for the right one.
bool same_text(std::string_view a, std::string_view b) {
  unsigned difference = a.size() != b.size();
  for (std::size_t i = 0; i < a.size(); i++)
    difference |=
        static_cast<unsigned char>(a[i]) ^ (i < b.size() ? static_cast<unsigned char>(b[i]) : 0xffu);
  return !difference && !b.empty();
}

// Zeros are what a power cut can leave.
bool says_nothing(const std::string &text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\0' || c == '\n' || c == ' '; });
}

} // namespace

const char *role_name(Role r) {
  return r == Role::admin ? "admin" : r == Role::operate ? "operator" : r == Role::view ? "view" : "none";
}

std::string random_word() {
  std::random_device random; // getrandom() or rdrand with libstdc++
  constexpr std::string_view letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
  std::string out;
  for (int i = 0; i < 32; i++) out += letters[letter(random)];
  return out;
}

std::string move_damaged_tokens_aside(const std::string &file) {
  constexpr const char *then = "; new tokens are made";
  if (const std::string moved = move_barred_aside(file); !moved.empty()) return moved + then;
  if (is_gone(file) || !says_nothing(read_text_file(file, "the token file", largest_file))) return "";
  return text("the token file ", file, " is empty, and is now ", move_aside(file), then);
}

Tokens::Tokens(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  struct stat info {};
  if (stat(file_.c_str(), &info)) {
    if (errno != ENOENT)
      fail(Error::Kind::io, "cannot read the token file ", file_, ": ", std::strerror(errno));
    make_secret_file(file_, "admin " + random_word() + "\nview " + random_word() + "\n");
  }
  use(read());
}

std::vector<Token> Tokens::read() const {
  std::vector<Token> out;
  if (file_.empty()) return out;
  struct stat info {};
  if (!stat(file_.c_str(), &info) && (info.st_mode & (S_IRWXG | S_IRWXO)))
    fail(Error::Kind::bad_setting, "the token file ", file_, " can be read by others; chmod 600 ", file_);
  std::istringstream in(read_text_file(file_, "the token file", largest_file));
  std::string line;
  for (int number = 1; std::getline(in, line); number++) {
    std::istringstream words(line);
    std::string role, more;
    Token t;
    if (!(words >> role) || role[0] == '#') continue;
    words >> t.text >> t.name >> more;
    constexpr std::size_t shortest = 16, longest = 256;
    if ((role != "admin" && role != "view") || t.text.size() < shortest || t.text.size() > longest ||
        !fits_header(t.text) || (!t.name.empty() && !is_name(t.name)) || !more.empty())
      fail(
          Error::Kind::bad_setting, file_, ":", number,
          ": expected 'admin TOKEN NAME' or 'view TOKEN NAME' with a token of 16 to 256 characters of ASCII, "
          "none of them \" , ; or \\; the name may be left out");
    t.role = role == "admin" ? Role::admin : Role::view;
    if (t.name.empty()) t.name = role;
    for (const Token &other : out)
      if (other.text == t.text)
        fail(Error::Kind::bad_setting, file_, ":", number, ": this token is in the file twice; remove one");
    out.push_back(t);
  }
  if (std::none_of(out.begin(), out.end(), [](const Token &t) { return t.role == Role::admin; }))
    fail(Error::Kind::bad_setting, "the token file ", file_, " has no line 'admin TOKEN'");
  return out;
}

void Tokens::use(std::vector<Token> tokens) {
  for (const Token &t : tokens) keep_secret(t.text);
  const std::lock_guard guard(lock_);
  tokens_ = std::move(tokens);
}

bool Tokens::none() const {
  const std::lock_guard guard(lock_);
  return tokens_.empty();
}

std::optional<Token> Tokens::find(std::string_view token) const {
  const std::lock_guard guard(lock_);
  std::optional<Token> found;
  for (const Token &t : tokens_)
    if (same_text(token, t.text)) found = t;
  return found;
}

std::optional<Token> Tokens::find_where(const std::function<bool(const Token &)> &is) const {
  const std::lock_guard guard(lock_);
  std::optional<Token> found;
  for (const Token &t : tokens_)
    if (is(t)) found = t;
  return found;
}

} // namespace vigil::monitor
