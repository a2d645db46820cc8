// SPDX-License-Identifier: LGPL-2.1-or-later
// Ctrl-C: the first one asks the work to stop at the next place where it can be resumed, a second one ends
// the program.
#pragma once

#include <atomic>
#include <csignal>
#include <stdexcept>

namespace vigil::train {

inline std::atomic<bool> interrupt_wanted = false;

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

inline void catch_interrupts() {
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::signal(SIGINT, [](int) {
    interrupt_wanted = true;
    std::signal(SIGINT, SIG_DFL);
  });
}
inline void stop_if_interrupted() {
  if (interrupt_wanted) throw Interrupted();
}

} // namespace vigil::train
