// SPDX-License-Identifier: LGPL-2.1-or-later
// The colour of a tracked object: c <- c + a (d - c) for each box with the mean colour d, a = 0.1; the first
// colour is taken as it is.
#pragma once

#include "kernels/track/detection.h"

#include <array>

namespace vigil::track {

class Appearance {
 public:
  Appearance() = default;
  explicit Appearance(const Detection &);
  void learn(const Detection &);
  // The colour is not known until the next box: the one learnt is that of several objects.
  void forget() { known_ = false; }
  bool known() const { return known_; }
  // 0 (same) to 1: the sum of the differences of the three channels, 192 and more is 1. 0 where one of the
  // colours is not known.
  double difference(const Detection &) const;

 private:
  std::array<float, 3> colour_{};
  bool known_ = false;
};

} // namespace vigil::track
