// SPDX-License-Identifier: LGPL-2.1-or-later
// What the programs share that are tested with the driver of fake_cuda.cpp.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

inline void expect(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

// The driver that the program's only argument names; it is loaded for all that look for libcuda by name.
inline void *fake_driver(int argc, char **argv) {
  void *const driver = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  expect(driver, "the only argument is the fake libcuda");
  return driver;
}
