// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/opencl/program_lock.h"

#include "common/opencl/cache.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace vigil {
namespace {

std::atomic<bool> parent_locks = false;

// A lock of the open file description: unlike those of a process it also keeps threads apart.
bool try_lock(int file, const std::string &key) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = off_t(hash_of(key) >> 2); // an offset must not be negative; the file stays empty
  range.l_len = 1;
  int result = 0;
  do result = fcntl(file, F_OFD_SETLK, &range);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

} // namespace

ProgramLock::ProgramLock(const std::string &path, const std::string &key, std::chrono::milliseconds wait) {
  if (parent_locks) return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) return;
  const auto end = std::chrono::steady_clock::now() + wait;
  for (auto pause = std::chrono::milliseconds(1);;) {
    held_ = try_lock(file_, key);
    const bool is_taken = errno == EAGAIN || errno == EACCES;
    if (held_ || !is_taken || std::chrono::steady_clock::now() >= end) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(20));
  }
}

ProgramLock::~ProgramLock() {
  if (file_ >= 0) close(file_); // frees the lock
}

void ProgramLock::leave_to_parent() {
  parent_locks = true;
}

} // namespace vigil
