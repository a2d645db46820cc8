// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes libraries away from a process: the dynamic linker asks this auditing library (LD_AUDIT, see
// rtld-audit(7)) where it may look for each one, and those whose file names stand in VIGIL_TEST_MISSING,
// separated by colons, are nowhere.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <string>

#pragma GCC visibility push(default)

extern "C" unsigned la_version(unsigned) {
  return LAV_CURRENT;
}

extern "C" char *la_objsearch(const char *name, std::uintptr_t *, unsigned) {
  const char *missing = std::getenv("VIGIL_TEST_MISSING"), *slash = std::strrchr(name, '/');
  const std::string list = std::string(":") + (missing ? missing : "") + ":";
  const std::string wanted = std::string(":") + (slash ? slash + 1 : name) + ":";
  return list.find(wanted) == list.npos ? const_cast<char *>(name) : nullptr;
}
