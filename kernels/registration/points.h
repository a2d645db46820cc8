// SPDX-License-Identifier: LGPL-2.1-or-later
// Places with edges in a picture (registration.h), and the share of them that a shift brings back. Host
// memory.
#pragma once

#include "kernels/registration/search.h"

#include <vector>

namespace vigil::registration {

class Points {
 public:
  // Throws Error::bad_setting for 16 bits a sample.
  void choose(const ConstImage &background);
  // Throws Error::bad_setting for a frame that is not of the background's size and format.
  void check(const ConstImage &frame) const { registration::check(frame, kind_); }
  int count() const { return static_cast<int>(points_.size()); }
  const std::vector<EdgePoint> &all() const { return points_; }
  int reach() const { return reach_; }
  float score(const ConstImage &frame, Shift) const;

 private:
  std::vector<EdgePoint> points_;
  ConstImage kind_; // the background
  int reach_ = 1;
};

} // namespace vigil::registration
