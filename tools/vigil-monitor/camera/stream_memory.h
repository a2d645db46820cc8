// SPDX-License-Identifier: LGPL-2.1-or-later
// The last seconds of a compressed stream in memory: whole groups of pictures, so that it begins with a key
// frame. Used with Recorder's lock held, except bytes() and overruns().
#pragma once

#include "access_units.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <gst/gst.h>
#include <optional>

namespace vigil::monitor {

class StreamMemory {
 public:
  struct Frame {
    gst::BufferPtr buffer;
    double time;
    bool key;
  };
  static constexpr std::size_t most_bytes = 96 << 20;

  explicit StreamMemory(double seconds) : seconds_(seconds) {}

  // In the order of decoding. False when a group was larger than the memory: nothing is left.
  bool keep(GstBuffer *, double time, bool key);
  void forget(); // the stream

  bool empty() const { return frames_.empty(); }
  // Calls f(frame) for those from the last key frame on that is not later than `time`, or else for all.
  template <class F>
  void from_key(double time, F f) const {
    std::size_t from = 0;
    for (std::size_t i = 0; i < frames_.size(); i++)
      if (frames_[i].key && frames_[i].time <= time) from = i;
    for (std::size_t i = from; i < frames_.size(); i++) f(frames_[i]);
  }
  double seconds() const { return seconds_; } // that it reaches back

  std::optional<double> since() const { return since_; } // this stream's first key frame
  double latest() const { return latest_; }              // its last frame

  // From any thread:
  std::size_t bytes() const { return bytes_; }
  std::uint64_t overruns() const { return overruns_; } // groups that the memory could not hold

 private:
  bool drop_old();

  const double seconds_;
  std::deque<Frame> frames_;
  std::optional<double> since_;
  double latest_ = 0;
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<std::uint64_t> overruns_ = 0;
};

} // namespace vigil::monitor
