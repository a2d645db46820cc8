// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline_threads.h"

#include "common/guarded.h"

#include <utility>

namespace vigil::monitor {

struct PipelineThreads::Task {
  PipelineThreads &threads;
  std::function<void()> run;
};

void PipelineThreads::run(std::function<void()> f) {
  {
    const std::lock_guard guard(lock_);
    running_++;
  }
  gst_element_call_async(pipeline_, guarded<PipelineThreads::begin>, new Task{*this, std::move(f)},
                         guarded<PipelineThreads::delete_task>);
}

void PipelineThreads::wait() {
  std::unique_lock guard(lock_);
  ended_.wait(guard, [this] { return running_ == 0; });
}

void PipelineThreads::begin(GstElement *, gpointer task) {
  const Task &t = *static_cast<Task *>(task);
  guard("a camera's thread", [&] { t.run(); });
  const std::lock_guard held(t.threads.lock_);
  t.threads.running_--;
  t.threads.ended_.notify_all(); // with the lock held: the object may go once it is free
}

void PipelineThreads::delete_task(gpointer task) {
  delete static_cast<Task *>(task);
}

} // namespace vigil::monitor
