// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/name_aside.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <sys/stat.h>

namespace vigil {

std::string name_aside(const std::string &path, std::initializer_list<const char *> ends) {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char day[32], stamp[48];
  std::strftime(day, sizeof day, "%Y%m%dT%H%M%S", &utc);
  std::snprintf(stamp, sizeof stamp, "%s.%03dZ", day,
                static_cast<int>(std::chrono::duration_cast<milliseconds>(now).count() % 1000));
  // A second one at the same time has a name of its own: nothing that was set aside is written over.
  const std::string first = path + ".damaged-" + stamp;
  std::string aside = first;
  const auto is_taken = [](const std::string &file) {
    struct stat info {};
    return lstat(file.c_str(), &info) == 0;
  };
  const auto any_is_taken = [&] {
    return is_taken(aside) ||
           std::any_of(ends.begin(), ends.end(), [&](const char *end) { return is_taken(aside + end); });
  };
  for (int n = 2; any_is_taken(); n++) aside = first + "-" + std::to_string(n);
  return aside;
}

} // namespace vigil
