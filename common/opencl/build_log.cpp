// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/opencl/build_log.h"

#include <charconv>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

namespace vigil {
namespace {

struct LogPlace {
  std::string file; // empty: no directive has named one
  int line;
};

// The file's name between quotes, in which \ keeps the character behind it.
std::string unquoted(std::string_view s) {
  std::string name;
  for (std::size_t i = 1; i < s.size() && s[i] != '"'; i++) {
    if (s[i] == '\\' && i + 1 < s.size()) i++;
    name += s[i];
  }
  return name;
}

// Where each line of the source is by its directives.
std::vector<LogPlace> places_of(const std::string &source) {
  std::vector<LogPlace> places;
  std::istringstream lines(source);
  LogPlace next{{}, 1};
  for (std::string line; std::getline(lines, line); next.line++) {
    places.push_back(next);
    constexpr std::string_view directive = "#line ";
    int number = 0;
    if (!line.starts_with(directive)) continue;
    const char *begin = line.data() + directive.size(), *end = line.data() + line.size();
    const auto [rest, error] = std::from_chars(begin, end, number);
    if (error != std::errc() || end - rest < 2 || rest[0] != ' ' || rest[1] != '"') continue;
    next = {unquoted({rest + 1, end}), number - 1}; // the line behind the directive has the number
  }
  return places;
}

} // namespace

std::string with_places(const std::string &log, const std::string &source) {
  constexpr std::string_view unnamed = "<kernel>:";
  if (log.find(unnamed) == log.npos) return log;
  const std::vector<LogPlace> places = places_of(source);
  std::string result;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::size_t number = 0;
    if (line.starts_with(unnamed)) {
      const char *begin = line.data() + unnamed.size(), *end = line.data() + line.size();
      const auto [rest, error] = std::from_chars(begin, end, number);
      if (error == std::errc() && number >= 1 && number <= places.size() &&
          !places[number - 1].file.empty()) {
        const LogPlace &p = places[number - 1];
        line = p.file + ":" + std::to_string(p.line) + std::string(rest, end);
      }
    }
    result += line + "\n";
  }
  return result;
}

} // namespace vigil
