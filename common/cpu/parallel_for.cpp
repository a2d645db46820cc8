// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/cpu/parallel_for.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#ifdef VIGIL_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace vigil {

namespace {

// The order that parallel_for guarantees: what the caller did happens before each part, and each part happens
// before the caller goes on. ThreadSanitizer cannot see it, since libtbb is not instrumented, so it is given
// here.
class HappensBefore {
 public:
#ifdef VIGIL_TSAN
  void release() {
    __tsan_release(&mark_);
  }
  void acquire() {
    __tsan_acquire(&mark_);
  }

 private:
  char mark_ = 0;
#else
  void release() {}
  void acquire() {}
#endif
};

} // namespace

struct TaskArena::Arena {
  explicit Arena(int threads) : arena(threads > 0 ? threads : oneapi::tbb::task_arena::automatic) {}
  oneapi::tbb::task_arena arena;
};

TaskArena::TaskArena(int threads) : arena_(std::make_unique<Arena>(threads)) {}
TaskArena::~TaskArena() = default;

int TaskArena::threads() const {
  return arena_->arena.max_concurrency();
}

void TaskArena::parallel_for(int count, int grain, const std::function<void(int, int)> &work) {
  HappensBefore begin, end;
  begin.release();
  arena_->arena.execute([&] {
    oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<int>(0, count, grain), [&](const auto &r) {
      begin.acquire();
      work(r.begin(), r.end());
      end.release();
    });
  });
  end.acquire();
}

} // namespace vigil
