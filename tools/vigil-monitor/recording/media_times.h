// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of a stream's frames as a file needs them: the time of decoding always goes on, whatever the camera
// writes. Times that jump, run backwards or stay where they are begin anew at the time of arrival.
//
// All are microseconds: those of the stream by its own clock, all others by the monotonic one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace vigil::monitor {

class MediaTimes {
 public:
  struct Times {
    std::int64_t decoded, shown;
  };

  // `captured`: as the stream's running time says it; not believed when it is far from `now`.
  Times next(std::optional<std::int64_t> shown, std::optional<std::int64_t> decoded, std::int64_t captured,
             std::int64_t now) {
    if (captured > now + most_early || captured < now - most_late) captured = now;
    const std::int64_t stream = decoded ? *decoded : shown ? *shown : captured;
    if (!shift_ || std::abs(stream + *shift_ - captured) > most_apart) {
      jumps_ += shift_ ? 1 : 0;
      shift_ = captured - stream;
    }
    const std::int64_t time = stream + *shift_;
    const std::int64_t later =
        shown && decoded ? std::clamp(*shown - *decoded, -most_reordered, most_reordered) : 0;
    last_ = last_ ? std::max(time, *last_ + least_step) : time;
    return {*last_, time + later};
  }
  std::uint64_t jumps() const { return jumps_; }

 private:
  static constexpr std::int64_t most_early = 2'000'000, most_late = 10'000'000; // of what is believed
  static constexpr std::int64_t most_apart = 1'000'000;     // of the stream's clock and ours
  static constexpr std::int64_t most_reordered = 3'000'000; // of frames within a group
  static constexpr std::int64_t least_step = 23;            // two ticks of the file
  std::optional<std::int64_t> shift_, last_;
  std::uint64_t jumps_ = 0;
};

} // namespace vigil::monitor
