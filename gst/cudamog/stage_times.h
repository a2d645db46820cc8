// SPDX-License-Identifier: LGPL-2.1-or-later
// The time of each stage, measured where the property stage-times asks for it.
#pragma once

#include "common/device.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vigil::gst::cudamog {

// Sums over frames, in microseconds.
struct StageTime {
  const char *stage = "";
  std::uint64_t frames = 0;      // that went through the stage
  double submit = 0, finish = 0; // of the host
  double device = 0; // between the stage's first and last work on the queue, by the device's clock
};

// The device's clocks of one group of frames, kept with its first frame. Made when they are first needed.
class StageTimers {
 public:
  // Starts and stops the stage's clock around what fn() submits to the queue.
  template <class Fn>
  void measure(std::size_t stage, Device &device, Queue &queue, Fn fn) {
    if (timers_.size() <= stage) timers_.resize(stage + 1);
    Entry &e = timers_[stage];
    if (!e.timer) e.timer = device.make_timer();
    e.timer->start(queue);
    fn();
    e.timer->stop(queue);
    e.running = true;
  }
  // Adds what was measured; the queue got there.
  void add_to(std::span<StageTime> sums) {
    for (std::size_t i = 0; i < timers_.size(); i++) {
      if (!timers_[i].running) continue;
      timers_[i].running = false;
      sums[i].device += 1000 * timers_[i].timer->milliseconds();
    }
  }

 private:
  struct Entry {
    std::unique_ptr<Timer> timer;
    bool running = false;
  };
  std::vector<Entry> timers_;
};

// Adds the host's time from its making to its end.
class HostTime {
 public:
  explicit HostTime(double *sum) : sum_(sum) {
    if (sum_) begin_ = Clock::now();
  }
  ~HostTime() {
    if (sum_) *sum_ += std::chrono::duration<double, std::micro>(Clock::now() - begin_).count();
  }
  HostTime(const HostTime &) = delete;
  HostTime &operator=(const HostTime &) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double *sum_; // null: not measured
  Clock::time_point begin_;
};

} // namespace vigil::gst::cudamog
