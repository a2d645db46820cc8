// SPDX-License-Identifier: LGPL-2.1-or-later
// What fails and works by turns, as a full disk does, which takes something each time that something else is
// given up: reported once when it begins, and once when it has worked for a while.
#pragma once

#include <optional>

namespace vigil::monitor {

class Outage {
 public:
  static constexpr double long_enough = 30; // seconds without a failure

  // Times are seconds of a monotonic clock. True when this is to be reported.
  bool failed(double now) {
    const bool first = !last_;
    last_ = now;
    return first;
  }
  bool worked(double now) {
    if (!last_ || now - *last_ < long_enough) return false;
    last_.reset();
    return true;
  }
  bool going_on() const { return last_.has_value(); }

 private:
  std::optional<double> last_; // failure
};

} // namespace vigil::monitor
