// SPDX-License-Identifier: LGPL-2.1-or-later
// Threads for what a pipeline has to wait for: opening and seeking wait for others, and many cameras must not
// wait for each other.
#pragma once

#include <condition_variable>
#include <functional>
#include <gst/gst.h>
#include <mutex>

namespace vigil::monitor {

class PipelineThreads {
 public:
  explicit PipelineThreads(GstElement *pipeline) : pipeline_(pipeline) {}

  void run(std::function<void()>); // on a thread of its own
  void wait();                     // until no thread runs any more; before this object goes

 private:
  struct Task;
  static void begin(GstElement *, gpointer task);
  static void delete_task(gpointer task);

  GstElement *const pipeline_;
  std::mutex lock_;
  std::condition_variable ended_;
  int running_ = 0; // under lock_
};

} // namespace vigil::monitor
