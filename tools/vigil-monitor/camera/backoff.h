// SPDX-License-Identifier: LGPL-2.1-or-later
// How long a camera that failed waits for its next try: 1, 2, 4, ... 30 seconds, without end; again from 1
// once it ran well.
#pragma once

#include <algorithm>

namespace vigil::monitor {

class Backoff {
 public:
  double next() {
    const double wait = wait_;
    wait_ = std::min(2 * wait_, longest);
    return wait;
  }
  void ran(double seconds) { // the last run's length
    if (seconds >= well) wait_ = 1;
  }

 private:
  static constexpr double longest = 30, well = 10;
  double wait_ = 1;
};

} // namespace vigil::monitor
