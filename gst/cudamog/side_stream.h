// SPDX-License-Identifier: LGPL-2.1-or-later
// A second queue for copies that need not wait for a queue's own work. On the CPU and in OpenGL there is
// none: everything goes to the one queue. Kernels of a few microseconds do not gain by it: to make one queue
// wait for the other takes as long.
#pragma once

#include "common/device.h"

#include <memory>

namespace vigil::gst::cudamog {

class SideStream {
 public:
  explicit SideStream(Device &device) {
    if (device.backend() == Backend::cpu || device.backend() == Backend::gl) return;
    queue_ = device.make_queue();
    joined_ = device.make_event();
  }
  // Where to submit what may start at once.
  Queue &free(Queue &queue) { return queue_ ? *queue_ : queue; }
  // What `queue` gets from now on starts after all that was submitted to the second queue.
  void join(Queue &queue) {
    if (!queue_) return;
    joined_->record(*queue_);
    queue.after(*joined_);
  }

 private:
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Event> joined_;
};

} // namespace vigil::gst::cudamog
