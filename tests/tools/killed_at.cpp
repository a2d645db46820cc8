// SPDX-License-Identifier: LGPL-2.1-or-later
// Loaded before the C library. It counts the calls that change the folder VIGIL_TEST_KILL_IN (fsync, rename,
// link, unlink, remove), and kills the process right before number VIGIL_TEST_KILL_AT, from 1 on. So each
// state in which a kill can leave the folder can be had.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

namespace {

bool is_in_folder(const char *path) {
  const char *folder = std::getenv("VIGIL_TEST_KILL_IN");
  return folder && *folder && std::strncmp(path, folder, std::strlen(folder)) == 0;
}

void count(const char *path) {
  static std::atomic<int> calls = 0;
  const char *at = std::getenv("VIGIL_TEST_KILL_AT");
  if (at && is_in_folder(path) && ++calls == std::atoi(at)) kill(getpid(), SIGKILL);
}

template <class F>
F next(F, const char *name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" {

int fsync(int descriptor) {
  char path[4096];
  const ssize_t n = readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path - 1);
  path[n < 0 ? 0 : n] = 0;
  count(path);
  return next(fsync, "fsync")(descriptor);
}

int rename(const char *from, const char *to) noexcept {
  count(to);
  return next(rename, "rename")(from, to);
}

int link(const char *from, const char *to) noexcept {
  count(to);
  return next(link, "link")(from, to);
}

int unlink(const char *path) noexcept {
  count(path);
  return next(unlink, "unlink")(path);
}

int remove(const char *path) noexcept {
  count(path);
  return next(static_cast<int (*)(const char *)>(remove), "remove")(path);
}

} // extern "C"
