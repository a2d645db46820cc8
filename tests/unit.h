// SPDX-License-Identifier: LGPL-2.1-or-later
// Unit tests without elements: a program is a list of named cases. libcheck runs them one after the other in
// the program's own process. CK_RUN_CASE=NAME runs one case, CK_FORK=yes gives each its own process.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace vigil::test {

// Expectations that failed in all cases so far.
extern int failures;

// Prints `expectation` if it does not hold. The case goes on, and fails at its end.
void expect(bool holds, const std::string &expectation);

struct Case {
  std::string name;
  std::function<void()> run; // an exception that leaves it is a failure
};

// Runs all cases. Returns the exit status of main(): 0, or 1 when a case failed.
int run_cases(const std::string &program, const std::vector<Case> &cases);

// The exit status that Meson takes for a skipped test. Print the reason before.
inline constexpr int skipped = 77;

} // namespace vigil::test
