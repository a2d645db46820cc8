// SPDX-License-Identifier: LGPL-2.1-or-later
#include "survey.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace vigil::scan {

namespace {

Surveyed survey_one(const std::string &path, bool with_duration) {
  Surveyed s;
  s.path = path;
  try {
    s.file = look_at(path);
    if (with_duration) s.duration = duration_of(s.file.path);
  } catch (...) {
    s.error = std::current_exception();
  }
  return s;
}

} // namespace

std::vector<Surveyed> survey(const std::vector<std::string> &paths, bool with_durations) {
  constexpr std::size_t side_by_side = 8;
  std::vector<Surveyed> all(paths.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < std::min(side_by_side, paths.size()); t++)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < paths.size(); i = next++)
        all[i] = survey_one(paths[i], with_durations);
    });
  for (std::thread &t : threads) t.join();
  return all;
}

} // namespace vigil::scan
