// SPDX-License-Identifier: LGPL-2.1-or-later
// oneTBB's arena and parallel_for, behind a border that is compiled without sanitizers: oneTBB's templates
// and library are not instrumented for ThreadSanitizer, which would report their own hand-over of tasks.
#pragma once

#include <functional>
#include <memory>

namespace vigil {

class TaskArena {
 public:
  explicit TaskArena(int threads); // 0: one thread per core
  ~TaskArena();
  TaskArena(const TaskArena &) = delete;
  TaskArena &operator=(const TaskArena &) = delete;

  int threads() const;
  // Calls work(begin, end) on several threads for parts of 0..count of about `grain` each, and waits for all
  // of them.
  void parallel_for(int count, int grain, const std::function<void(int, int)> &work);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

} // namespace vigil
