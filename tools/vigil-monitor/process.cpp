// SPDX-License-Identifier: LGPL-2.1-or-later
#include "process.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace vigil::monitor {

ProcessState process_state() {
  ProcessState out;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval &t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  out.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  std::int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  out.memory_bytes = resident * sysconf(_SC_PAGESIZE);
  const auto entries = [](const char *folder) {
    std::error_code error;
    std::int64_t n = 0;
    for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
      n++;
    return n;
  };
  out.threads = entries("/proc/self/task");
  out.descriptors = entries("/proc/self/fd");
  return out;
}

void share_arenas() {
#ifdef __GLIBC__
  constexpr int arenas = 2;
  if (!std::getenv("MALLOC_ARENA_MAX")) mallopt(M_ARENA_MAX, arenas);
#endif
}

void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0); // of all arenas; each is held for the moment that its own part takes
#endif
}

} // namespace vigil::monitor
