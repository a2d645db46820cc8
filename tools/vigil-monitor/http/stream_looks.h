// SPDX-License-Identifier: LGPL-2.1-or-later
// Looks at streams that are to be added: for one request at a time. On any thread.
#pragma once

#include <atomic>
#include <mutex>

namespace vigil::monitor {

class StreamLooks {
 public:
  // Owns the lock while a look may go on; it does not when another one does.
  std::unique_lock<std::mutex> begin() { return std::unique_lock(looking_, std::try_to_lock); }
  void end() { ended_ = true; } // all of them, soon
  bool ended() const { return ended_; }

 private:
  std::mutex looking_;
  std::atomic<bool> ended_ = false;
};

} // namespace vigil::monitor
