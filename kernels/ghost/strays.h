// SPDX-License-Identifier: LGPL-2.1-or-later
// Strays: groups of cells that do not follow (trail.h). Many of them are snow, and then some others follow by
// chance. How many pixels that may be.
//
// Of x pixels that do not follow, where the chance to do so is q, x q / (1 - q) are expected to follow by
// chance, with the variance x x q / (1 - q)^2. What is expected, and chance_deviations more, is to be taken
// off, or the mean of this of some strays_for seconds where that is more. Of blobs it is half of that: more
// would hide people whom snow covers. It is so where the frame has many_strays or more, or had in the same
// mean: insects at a lamp are few.
//
// Source: this project. The constants were chosen on seeds 1 and 2 of scenetestsrc's `snow` and on seed 1 of
// `insects` (docs/measurements/log/2026-11/foreground.md).
#pragma once

#include <algorithm>
#include <cmath>

namespace vigil::ghost {

inline constexpr double chance_deviations = 4, many_strays = 6, strays_for = 2; // strays_for: seconds
inline constexpr double blobs_part = 0.5;

class Strays {
 public:
  void add(double pixels, double chance, bool blob) {
    constexpr double most = 0.95; // where all follow nothing is known
    const double q = std::min(chance, most);
    const Sum sum{pixels * q / (1 - q), pixels * pixels * q / ((1 - q) * (1 - q))};
    if (blob) blobs_ += sum;
    all_ += sum;
    number_++;
  }
  struct Pixels {
    double blobs = 0, all = 0;
  };
  // At the end of a frame. Pixels that may follow by chance: of blobs alone, and of blobs and groups.
  Pixels end(double seconds) {
    const Pixels now{blobs_part * blobs_.most(), all_.most()};
    const bool many = std::max(number_, mean_number_) >= many_strays;
    const Pixels off{many ? std::max(now.blobs, mean_.blobs) : 0, many ? std::max(now.all, mean_.all) : 0};
    const double share = std::min(seconds / strays_for, 1.);
    mean_.blobs += share * (now.blobs - mean_.blobs);
    mean_.all += share * (now.all - mean_.all);
    mean_number_ += share * (number_ - mean_number_);
    blobs_ = all_ = {};
    number_ = 0;
    return off;
  }

 private:
  struct Sum {
    double expected = 0, variance = 0;
    void operator+=(const Sum &o) { expected += o.expected, variance += o.variance; }
    double most() const { return expected + chance_deviations * std::sqrt(variance); }
  };
  Sum blobs_, all_; // of this frame
  double number_ = 0;
  Pixels mean_;
  double mean_number_ = 0;
};

} // namespace vigil::ghost
