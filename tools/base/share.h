// SPDX-License-Identifier: LGPL-2.1-or-later
// A share of work that several processes divide: the I-th of N, written "I/N".
#pragma once

#include "common/error.h"

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace vigil::tools {

struct Share {
  int index = 0, count = 1; // index from 0 to count - 1
  bool operator==(const Share &) const = default;
  bool has(std::size_t item) const {
    return item % static_cast<std::size_t>(count) == static_cast<std::size_t>(index);
  }
};

// Throws Error::bad_setting, naming `option`, unless it is INDEX/COUNT with COUNT up to 100000.
inline Share parse_share(const char *option, const std::string &words) {
  const auto number = [](std::string_view s) {
    int n = -1;
    const auto [end, bad] = std::from_chars(s.data(), s.data() + s.size(), n);
    return bad == std::errc() && end == s.data() + s.size() ? n : -1;
  };
  const auto slash = words.find('/');
  const std::string_view all = words;
  const Share s{number(all.substr(0, slash)), slash == words.npos ? -1 : number(all.substr(slash + 1))};
  constexpr int most = 100000;
  if (s.count < 1 || s.count > most || s.index < 0)
    fail(Error::Kind::bad_setting, option, " ", words,
         " is not INDEX/COUNT, such as 0/3; COUNT is from 1 to ", most);
  if (s.index >= s.count)
    fail(Error::Kind::bad_setting, option, " ", words, ": there is no share ", s.index, " of ", s.count,
         "; the first is 0 and the last ", s.count - 1);
  return s;
}

} // namespace vigil::tools
