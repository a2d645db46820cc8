// SPDX-License-Identifier: LGPL-2.1-or-later
#include "survey.h"

#include "tools/base/side_by_side.h"

#include <algorithm>
#include <atomic>

namespace vigil::scan {

namespace {

Surveyed survey_one(const std::string &path, const AskDuration &ask_duration) {
  Surveyed s;
  s.path = path;
  try {
    s.file = look_at(path);
    if (ask_duration) s.duration = ask_duration(s.file.path);
  } catch (...) {
    s.error = std::current_exception();
  }
  return s;
}

} // namespace

std::vector<Surveyed> survey(const std::vector<std::string> &paths, const AskDuration &ask_duration) {
  constexpr std::size_t most_threads = 8;
  std::vector<Surveyed> all(paths.size());
  std::atomic<std::size_t> next = 0;
  tools::side_by_side(std::min(most_threads, paths.size()), [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) all[i] = survey_one(paths[i], ask_duration);
  });
  return all;
}

} // namespace vigil::scan
