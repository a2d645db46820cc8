// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests that are plain programs: they go on after a failure, and tell by `failures` at the end.
#pragma once

#include <cstdio>
#include <string>

namespace vigil::test {

inline int failures = 0;

inline void expect(bool good, const std::string &what) {
  if (good) return;
  std::printf("FAILED: %s\n", what.c_str());
  failures++;
}

} // namespace vigil::test
