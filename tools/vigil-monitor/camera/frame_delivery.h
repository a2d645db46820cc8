// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether the threads of a pipeline still hand over what they have. The main thread ends it; streaming
// threads ask.
#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace vigil::monitor {

class FrameDelivery {
 public:
  bool ended() const { return ended_; }
  // Held by a thread that hands something over. It asks ended() with it.
  std::shared_lock<std::shared_mutex> under_way() const { return std::shared_lock(lock_); }

  void end() { ended_ = true; }
  // What a thread hands over at this moment has arrived when this returns.
  void await() const { const std::unique_lock all(lock_); }

 private:
  std::atomic<bool> ended_ = false;
  mutable std::shared_mutex lock_;
};

} // namespace vigil::monitor
