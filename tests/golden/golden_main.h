// SPDX-License-Identifier: LGPL-2.1-or-later
// The main function of tests that replay files of golden vectors: run(FILE...) gives the exit status.
#pragma once

#include <cstdio>
#include <exception>

namespace vigil::test {

template <class... Files>
int golden_main(int argc, char **argv, int (*run)(Files...)) {
  if (argc != 1 + int(sizeof...(Files))) {
    std::fprintf(stderr, "usage: %s, and %d file(s) of golden vectors\n", argv[0], int(sizeof...(Files)));
    return 2;
  }
  try {
    if constexpr (sizeof...(Files) == 1)
      return run(argv[1]);
    else
      return run(argv[1], argv[2]);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 2;
  }
}

} // namespace vigil::test
