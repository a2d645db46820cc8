// SPDX-License-Identifier: LGPL-2.1-or-later
// The main loop: runs what other threads post, and a function once a second. Knows for how long it runs.
#pragma once

#include "call_on_loop.h"
#include "camera/utc.h"

#include <atomic>
#include <functional>
#include <utility>

namespace vigil::monitor {

class MainLoop {
 public:
  // Runs f on the main loop at some time, and does not wait for it. On any thread.
  static void post(std::function<void()> f);
  // Runs f on the main loop and waits for it (call_on_loop.h). Throws what f throws, and std::runtime_error
  // when the loop does not come to it within ten seconds.
  template <class F>
  static auto call(F f) -> decltype(f()) {
    constexpr std::chrono::seconds patience(10);
    return ask(post, std::move(f), patience);
  }
  static void run_pending(); // on the main thread: what was posted until now

  // On the main thread.
  void start(std::function<void()> once_a_second);
  bool stop(); // false: it was not started, or was stopped before
  bool is_second(unsigned n) const { return turns_ % n == 0; } // true once in n seconds

  // On any thread.
  double uptime() const { return Utc::monotonic_seconds() - started_; }
  double since_last_turn() const { return Utc::monotonic_seconds() - last_turn_; }

 private:
  static int on_timer(void *loop); // of GLib
  std::function<void()> once_a_second_;
  unsigned timer_ = 0, turns_ = 0;
  const double started_ = Utc::monotonic_seconds();
  std::atomic<double> last_turn_ = Utc::monotonic_seconds();
};

} // namespace vigil::monitor
