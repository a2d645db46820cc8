// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream without key frames cannot be recorded: notices when it goes on for long. Used with Recording's
// lock held.
#pragma once

#include "segment.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace vigil::monitor {

class MissingKeyFrames {
 public:
  // A picture of this time, in microseconds, which no key frame came before. Since when there was none, once
  // that is long ago.
  std::optional<std::int64_t> lasts_long(std::int64_t time) {
    if (!since_) since_ = time;
    constexpr std::int64_t long_time = 10 * a_second;
    if (time - *since_ < long_time) return std::nullopt;
    constexpr std::int64_t never = std::int64_t{1} << 60;
    return std::exchange(*since_, time + never); // once
  }
  void over() { since_.reset(); }
  bool is_first_warning() { return !std::exchange(warned_, true); }

 private:
  std::optional<std::int64_t> since_;
  bool warned_ = false;
};

} // namespace vigil::monitor
