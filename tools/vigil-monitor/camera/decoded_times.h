// SPDX-License-Identifier: LGPL-2.1-or-later
// When the frames are shown that went to the decoder since the last key frame. A frame that nothing refers to
// is needless for the analysis where one of these is near. Knows no GStreamer.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace vigil::monitor {

class DecodedTimes {
 public:
  void forget() { times_.fill(never); } // at a key frame: the time may jump there
  void add(double time) { times_[next_++ % times_.size()] = time; }
  // Whether a frame was added that is shown less than so many seconds earlier or later. NaN: false.
  bool any_within(double seconds, double time) const {
    for (const double t : times_)
      if (std::abs(time - t) < seconds) return true;
    return false;
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();
  static constexpr std::array<double, 32> none() { // more than a coder changes the order of
    std::array<double, 32> all{};
    all.fill(never);
    return all;
  }
  std::array<double, 32> times_ = none();
  std::size_t next_ = 0;
};

} // namespace vigil::monitor
