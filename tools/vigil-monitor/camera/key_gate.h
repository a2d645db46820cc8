// SPDX-License-Identifier: LGPL-2.1-or-later
// Lets a compressed stream pass from a key frame on. What comes before one cannot be decoded: a decoder makes
// grey or smeared pictures of it, which would be learnt as the background. It begins when a connection does,
// and again when what comes after it has fallen too far behind. Knows no GStreamer.
#pragma once

#include <atomic>
#include <cstdint>

namespace vigil::monitor {

class KeyGate {
 public:
  // Seconds without a key frame after which the stream passes all the same: cameras with intra refresh never
  // send one. Longer than the groups of ten seconds that cameras have, shorter than a camera's patience.
  static constexpr double patience = 11;

  // `now`: by a clock that never goes back. `behind`: nothing more is to pass at the moment.
  bool passes(bool key, bool behind, double now) {
    if (begun_ && !waiting_ && behind) wait(now);
    if (!begun_) wait(now);
    begun_ = true;
    if (!waiting_) return true;
    if (!behind && (key || now - since_ > patience)) {
      gave_up_ = !key;
      waiting_ = false;
      return true;
    }
    dropped_++;
    return false;
  }
  bool waiting() const { return waiting_; }
  // Whether the last frame that passed was let through without a key frame before it, after the patience.
  bool gave_up() const { return gave_up_; }          // from any thread
  std::uint64_t dropped() const { return dropped_; } // from any thread

 private:
  void wait(double now) {
    waiting_ = true;
    gave_up_ = false;
    since_ = now;
  }
  bool begun_ = false, waiting_ = false;
  std::atomic<bool> gave_up_ = false;
  double since_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
};

} // namespace vigil::monitor
