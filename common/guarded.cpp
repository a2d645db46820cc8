// SPDX-License-Identifier: LGPL-2.1-or-later
#include "guarded.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace vigil {
namespace {

void to_stderr(const std::string &line) {
  std::fprintf(stderr, "%s\n", line.c_str());
}
std::atomic<void (*)(const std::string &)> log_to = to_stderr;

struct Place {
  std::chrono::steady_clock::time_point said;
  unsigned long silent = 0; // how often since then
};
struct Places {
  std::mutex lock;
  std::map<std::string, Place, std::less<>> all;
};
Places &places() {
  static Places all;
  return all;
}

// False when the place had its line already; `silent` is how often it happened since its last one.
bool is_to_be_said(std::string_view place, unsigned long &silent) {
  constexpr std::chrono::minutes often(1);
  const auto now = std::chrono::steady_clock::now();
  Places &p = places();
  const std::lock_guard held(p.lock);
  const auto known = p.all.find(place);
  if (known == p.all.end()) {
    p.all.emplace(place, Place{now, 0});
    return true;
  }
  if (now - known->second.said < often) {
    known->second.silent++;
    return false;
  }
  silent = std::exchange(known->second.silent, 0);
  known->second.said = now;
  return true;
}

} // namespace

void log_at_borders(void (*log)(const std::string &line)) {
  log_to = log ? log : to_stderr;
}

void caught_at_border(std::string_view place, std::string_view what) noexcept {
  try {
    unsigned long silent = 0;
    if (!is_to_be_said(place, silent)) return;
    std::string line(place);
    line.append(": ").append(what).append("; the program goes on without it");
    if (silent) line += " (" + std::to_string(silent) + " more since the last such line)";
    log_to.load()(line);
  } catch (...) { // there is no memory even for a line
  }
}

} // namespace vigil
