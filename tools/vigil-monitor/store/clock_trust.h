// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether the system's clock may be believed for what cannot be taken back: deleting events by their age.
//
// A clock that is more than `most_ahead` later than the last trusted time and the monotonic clock say is in
// doubt: a wrong time server, or a machine whose battery was empty. It is trusted again when it is back where
// it was expected, or when it has agreed with the monotonic clock for `proof`. A clock that goes back is no
// danger: everything looks younger.
#pragma once

#include <optional>

namespace vigil::monitor {

class ClockTrust {
 public:
  static constexpr double most_ahead = 3600, proof = 24 * 3600; // seconds

  // `last`: the latest trusted time of before, from the disk.
  explicit ClockTrust(std::optional<double> last = {}) : trusted_(last) {}

  // The system's clock and a monotonic clock, both now. True when the clock may be believed.
  bool look(double now, double monotonic) {
    if (!trusted_) trusted_ = now; // nothing is known: a new database
    if (!at_) at_ = monotonic;     // time in which the program did not run is not counted
    const double expected = *trusted_ + (monotonic - *at_);
    if (now - expected <= most_ahead) {
      doubted_since_.reset();
      trusted_ = now > expected ? now : expected;
      at_ = monotonic;
      return true;
    }
    const double ahead = now - monotonic;
    if (!doubted_since_ || ahead - doubted_at_ > 1 || doubted_at_ - ahead > 1) { // it was set again
      doubted_since_ = monotonic;
      doubted_at_ = ahead;
    }
    if (monotonic - *doubted_since_ < proof) return false;
    doubted_since_.reset();
    trusted_ = now;
    at_ = monotonic;
    return true;
  }
  // To be kept on the disk.
  std::optional<double> trusted() const { return trusted_; }

 private:
  std::optional<double> trusted_, at_, doubted_since_;
  double doubted_at_ = 0; // the system's clock less the monotonic one, then
};

} // namespace vigil::monitor
