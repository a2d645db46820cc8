// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures that a decoder marks as damaged. Those before the first whole one do not pass: they show nothing
// of the scene. Later ones pass with their mark, which cudamog reads. A stream that has no whole picture for
// long is taken as it is, since some decoders mark all pictures of an intra refresh. Knows no GStreamer.
#pragma once

#include "key_gate.h"

#include <atomic>
#include <cstdint>

namespace vigil::monitor {

class DamageGate {
 public:
  enum class Verdict {
    pass,
    drop,
    take_as_whole, // and remove the mark
  };
  // `no_key_frame`: the stream was taken without one, so that none can be whole.
  Verdict judge(bool damaged, bool no_key_frame, double now) {
    if (!damaged) {
      whole_seen_ = true;
      run_ = false;
      return Verdict::pass;
    }
    if (!run_) since_ = now;
    run_ = true;
    if (now - since_ > KeyGate::patience || (no_key_frame && !whole_seen_)) return Verdict::take_as_whole;
    if (whole_seen_) return Verdict::pass;
    dropped_++;
    return Verdict::drop;
  }
  std::uint64_t dropped() const { return dropped_; } // from any thread

 private:
  bool whole_seen_ = false, run_ = false;
  double since_ = 0; // of the damaged pictures that follow each other
  std::atomic<std::uint64_t> dropped_ = 0;
};

} // namespace vigil::monitor
