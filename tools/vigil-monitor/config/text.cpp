// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text.h"

#include "../printable.h"
#include "common/error.h"
#include "kernels/label/classifier.h"
#include "secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace vigil::monitor {

std::uint64_t parse_size(std::string_view s) {
  constexpr std::array<std::pair<std::string_view, double>, 10> units = {{{"", 1},
                                                                          {"B", 1},
                                                                          {"kB", 1e3},
                                                                          {"MB", 1e6},
                                                                          {"GB", 1e9},
                                                                          {"TB", 1e12},
                                                                          {"KiB", 0x1p10},
                                                                          {"MiB", 0x1p20},
                                                                          {"GiB", 0x1p30},
                                                                          {"TiB", 0x1p40}}};
  double v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  std::string_view unit(end, static_cast<std::size_t>(s.data() + s.size() - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  const auto u = std::find_if(units.begin(), units.end(), [&](const auto &e) { return e.first == unit; });
  constexpr double most = 1e18;
  if (error != std::errc() || u == units.end() || !(v >= 0) || v * u->second > most)
    fail(Error::Kind::bad_setting, "'", s.substr(0, 40),
         "' is no size; write for example 200GB, 500MB or 64GiB");
  return static_cast<std::uint64_t>(v * u->second);
}

std::string size_text(std::uint64_t bytes) {
  constexpr const char *units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  double v = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (v >= 999.5 && unit + 1 < std::size(units)) v /= 1000, unit++;
  char out[32];
  std::snprintf(out, sizeof out, unit ? "%.3g %s" : "%.0f %s", v, units[unit]);
  return out;
}

bool is_name(std::string_view s) {
  return !s.empty() && s.size() <= 32 && std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool is_title(std::string_view s) {
  constexpr std::size_t most = 64;
  return !s.empty() && s.front() != ' ' && s.back() != ' ' && is_visible(s, most);
}

void check_labels(const std::vector<std::string> &labels) {
  constexpr std::size_t most = 64;
  if (labels.size() > most) fail(Error::Kind::bad_setting, labels.size(), " labels; at most ", most);
  for (const std::string &l : labels)
    if (!label::is_name(l))
      fail(Error::Kind::bad_setting, "a label is 1 to ", label::longest_name,
           " bytes of UTF-8 without control characters, and not only spaces");
}

std::string expand_environment(std::string_view s) {
  std::string out;
  while (!s.empty()) {
    const std::size_t from = s.find("${"), to = from == s.npos ? s.npos : s.find('}', from);
    if (to == s.npos) break;
    const std::string name(s.substr(from + 2, to - from - 2));
    const char *value = std::getenv(name.c_str());
    if (!value)
      fail(Error::Kind::bad_setting, "the environment has no variable ", name,
           "; set it, or write the value here");
    keep_secret(value); // passwords are given so
    out.append(s.substr(0, from)).append(value);
    s.remove_prefix(to + 1);
  }
  return out.append(s);
}

namespace {

bool ends_word(char c) {
  return std::isspace(static_cast<unsigned char>(c)) || c == '"' || c == '\'' || c == ',' || c == ')';
}

// Names of parameters and settings whose values are secrets, by what their names contain.
bool speaks_of_secrets(std::string_view name) {
  std::string lower(name);
  for (char &c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view words[] = {"pass", "pwd", "-pw",  "user-pw", "token",   "secret",  "auth",
                                        "key",  "sig", "cred", "cookie",  "headers", "loginpas"};
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view w) { return lower.find(w) != lower.npos; });
}

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
}

} // namespace

std::vector<std::pair<std::size_t, std::size_t>> secret_settings(std::string_view s) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t sign = s.find('='); sign != s.npos; sign = s.find('=', sign + 1)) {
    if (!out.empty() && sign < out.back().second) continue; // within a value
    std::size_t name_end = sign, from = sign + 1;
    while (name_end > 0 && s[name_end - 1] == ' ') name_end--;
    std::size_t name = name_end;
    while (name > 0 && in_name(s[name - 1])) name--;
    if (!speaks_of_secrets(s.substr(name, name_end - name))) continue;
    const bool apart = name_end < sign || (from < s.size() && s[from] == ' ');
    if (apart)
      while (from < s.size() && s[from] == ' ') from++;
    if (from < s.size() && s[from] == '\\') from++; // a quote that is quoted itself
    std::size_t to = from;
    if (from < s.size() && (s[from] == '"' || s[from] == '\'')) {
      to = s.find(s[from], from + 1);
      from++;
      to = std::min(to, s.size());
      if (to > from && s[to - 1] == '\\') to--;
    } else {
      while (to < s.size() && s[to] != '&' && !ends_word(s[to])) to++;
    }
    if (to > from) out.emplace_back(from, to);
  }
  return out;
}

std::string mask_credentials(std::string_view text) {
  const std::string known = without_secrets(text);
  const std::string_view s = known;
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = s.find("://"); at != s.npos; at = s.find("://", at)) {
    at += 3;
    std::size_t end = at, sign = s.npos; // of the authority, and its last @
    for (; end < s.size() && s[end] != '/' && s[end] != '?' && s[end] != '#' && !ends_word(s[end]); end++)
      if (s[end] == '@') sign = end;
    // A password may hold a slash that nobody escaped: then the @ comes later, in the same word.
    if (sign == s.npos)
      for (std::size_t i = end; i < s.size() && !ends_word(s[i]); i++)
        if (s[i] == '@' && s.substr(at, i - at).find(':') < end - at) sign = i;
    if (sign == s.npos) continue;
    const std::size_t colon = s.find(':', at);
    const std::size_t secret = colon < sign ? colon + 1 : at; // a user alone may be a token
    out.append(s.substr(done, secret - done)).append("***");
    done = at = sign;
  }
  out.append(s.substr(done));
  const auto settings = secret_settings(out);
  for (auto of = settings.rbegin(); of != settings.rend(); ++of)
    out.replace(of->first, of->second - of->first, "***");
  return out;
}

} // namespace vigil::monitor
