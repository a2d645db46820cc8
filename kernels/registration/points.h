// SPDX-License-Identifier: LGPL-2.1-or-later
// Places with edges in a picture (registration.h), and the share of them that a shift brings back.
#pragma once

#include "kernels/registration/registration.h"

#include <vector>

namespace vigil::registration {

struct Point {
  int x, y;
  bool down;      // the edge's samples lie above and below, not left and right
  int difference; // b
};

class Points {
 public:
  // Throws Error::bad_setting for 16 bits a sample.
  void choose(const ConstImage &background);
  // Throws Error::bad_setting for a frame that is not of the background's size and format.
  void check(const ConstImage &frame) const;
  int count() const { return static_cast<int>(points_.size()); }
  const std::vector<Point> &all() const { return points_; }
  int reach() const { return reach_; }
  // 0 where too few points lie in the frame.
  double score(const ConstImage &frame, Shift) const;

 private:
  std::vector<Point> points_;
  PixelFormat format_{};
  int width_ = 0, height_ = 0, reach_ = 1;
};

} // namespace vigil::registration
