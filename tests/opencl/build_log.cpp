// SPDX-License-Identifier: LGPL-2.1-or-later
// Places in the log of a compiler that knows no #line directive. Exit status: 0 passed, 1 failed.
#include "common/opencl/build_log.h"
#include "tests/unit.h"

namespace vigil {
namespace {

using test::expect;

constexpr const char *source = "#define BYTES 4\n"         // line 1 of the whole
                               "#line 1 \"prelude.cl\"\n"  // 2
                               "typedef int number;\n"     // 3
                               "\n"                        // 4
                               "#line 1 \"a \\\"b.cl\"\n"  // 5
                               "no kernel\n"               // 6
                               "int f() { return 1 }\n"    // 7
                               "#line 12 \"behind.cl\"\n"  // 8
                               "  #line 1 \"indented\"\n"  // 9
                               "#line 1\n"                 // 10
                               "int g() { return f(1); }"; // 11

void check(const std::string &log, const std::string &want) {
  expect(with_places(log, source) == want, log + " becomes " + with_places(log, source) + ", not " + want);
}

void places() {
  check("", "");
  check("a.cl:3:1: error: such\n", "a.cl:3:1: error: such\n");
  check("<kernel>:6:1: error: unknown type name 'no'\nno kernel\n^\n",
        "a \"b.cl:1:1: error: unknown type name 'no'\nno kernel\n^\n");
  check("<kernel>:7:20: error: expected ';'\n", "a \"b.cl:2:20: error: expected ';'\n");
  check("<kernel>:3:1: note: here\n<kernel>:11:18: error: too many\n",
        "prelude.cl:1:1: note: here\nbehind.cl:14:18: error: too many\n");
  for (const char *as_it_is :
       {"<kernel>:1:1: error\n", "<kernel>:12:1: error\n", "<kernel>:0:1: error\n",
        "<kernel>:99999999999999999999999:1: error\n", "<kernel>: error\n", "in <kernel>:6:1: error\n"})
    check(as_it_is, as_it_is);
}

} // namespace
} // namespace vigil

int main() {
  return vigil::test::run_cases("opencl build log", {{"places", vigil::places}});
}
