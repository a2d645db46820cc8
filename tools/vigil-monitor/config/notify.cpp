// SPDX-License-Identifier: LGPL-2.1-or-later
#include "notify.h"

#include "common/error.h"

#include <cstdio>

namespace vigil::monitor {

QuietHours parse_quiet_hours(const std::string &text) {
  int h1 = 0, m1 = 0, h2 = 0, m2 = 0, used = 0;
  constexpr int hours = 24, minutes = 60;
  const bool read = std::sscanf(text.c_str(), "%2d:%2d-%2d:%2d%n", &h1, &m1, &h2, &m2, &used) == 4 &&
                    static_cast<std::size_t>(used) == text.size() && text.find('+') == text.npos &&
                    text.find(' ') == text.npos;
  const QuietHours q{h1 * minutes + m1, h2 * minutes + m2};
  if (!read || h1 < 0 || h2 < 0 || m1 < 0 || m2 < 0 || h1 >= hours || h2 >= hours || m1 >= minutes ||
      m2 >= minutes || q.from == q.to)
    fail(Error::Kind::bad_setting, "'", text.substr(0, 40),
         "' are no hours; write two different times of the day, for example \"22:00-06:00\"");
  return q;
}

} // namespace vigil::monitor
