// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/unit.h"

#include <gst/check/check.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace vigil::test {

int failures = 0;

namespace {

const std::vector<Case> *cases_of_the_program;

// libcheck leaves a failed test by a jump, which no destructor sees: so the case has ended when it is called.
START_TEST(run_one) {
  const int before = failures;
  try {
    (*cases_of_the_program)[std::size_t(_i)].run();
  } catch (const std::exception &e) {
    expect(false, std::string("an exception left the case: ") + e.what());
  }
  if (const int here = failures - before; here > 0) ck_abort_msg("%d expectations failed", here);
}
END_TEST

} // namespace

void expect(bool holds, const std::string &expectation) {
  if (holds) return;
  std::printf("FAILED: %s\n", expectation.c_str());
  failures++;
}

int run_cases(const std::string &program, const std::vector<Case> &cases) {
  cases_of_the_program = &cases;
  Suite *const suite = suite_create(program.c_str());
  for (std::size_t i = 0; i < cases.size(); i++) {
    TCase *const one = tcase_create(cases[i].name.c_str());
    tcase_set_timeout(one, 0); // Meson has the limit of the whole program
    tcase_add_loop_test(one, run_one, int(i), int(i) + 1);
    suite_add_tcase(suite, one);
  }
  SRunner *const runner = srunner_create(suite);
  if (!std::getenv("CK_FORK")) srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed > 0;
}

} // namespace vigil::test
