// SPDX-License-Identifier: LGPL-2.1-or-later
// One process or thread at a time compiles a program; the others then find it in the cache of programs. That
// saves their time, and it keeps PoCL 3.1 alive, which crashes when processes that compile the same program
// change its own cache at the same time.
#pragma once

#include <chrono>
#include <string>

namespace vigil {

class ProgramLock {
 public:
  static constexpr std::chrono::seconds longest_wait{30};

  // Waits until no other holder locks the program with this key, but not longer than `wait`: the holder runs
  // a driver's compiler, which may hang. The locks of all programs are bytes of one file, `path`; the kernel
  // frees those of a process that ends. Where the file cannot be made or locked nothing is waited for.
  ProgramLock(const std::string &path, const std::string &key, std::chrono::milliseconds wait = longest_wait);
  ~ProgramLock();
  ProgramLock(const ProgramLock &) = delete;
  ProgramLock &operator=(const ProgramLock &) = delete;
  bool held() const { return held_; }

  // From now on this process takes no locks: the process that started it holds the one that it would need.
  static void leave_to_parent();

 private:
  int file_ = -1;
  bool held_ = false;
};

} // namespace vigil
