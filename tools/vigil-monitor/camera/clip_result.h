// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vigil::monitor {

struct ClipResult {
  bool good = false;
  std::string why;  // it is not, or it is not whole
  double start = 0; // seconds since 1970 UTC, of its first frame
  std::int64_t bytes = 0;
  std::optional<double> end = {}; // of a clip that is a part of the recording
};

// The time that a part of the recording is to have; seconds of the monotonic clock.
struct ClipSpan {
  double from = 0, to = 0;
  double utc = 0; // what makes UTC of them
};

} // namespace vigil::monitor
