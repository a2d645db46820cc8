// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests that are plain programs: they go on after a failure, and tell by `failures` at the end.
#pragma once

#include <cstdio>
#include <exception>
#include <string>

namespace vigil::test {

inline int failures = 0;

inline void expect(bool good, const std::string &what) {
  if (good) return;
  std::printf("FAILED: %s\n", what.c_str());
  failures++;
}

// What main() returns: that of `run`, or 1 with the words of an exception that gets out of it.
inline int run_program(const char *name, int (*run)()) {
  try {
    const int status = run();
    std::printf("%d failures\n", failures);
    return status;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
    return 1;
  }
}

} // namespace vigil::test
