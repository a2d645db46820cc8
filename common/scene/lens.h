// SPDX-License-Identifier: LGPL-2.1-or-later
// What bends or blurs the light on its way to the sensor: a sharp picture is drawn first, and then seen
// through it.
#pragma once

#include "common/scene/pixels.h"

#include <cstdint>
#include <vector>

namespace vigil::scene {

class Lens {
 public:
  Lens(int width, int height);
  virtual ~Lens() = default;
  // A row of the sharp picture, to be written before any row of the other is read. Rows by any thread.
  ColourRow sharp(int y);
  virtual void row(int y, const ColourRow &out) const = 0;

 protected:
  int width_, height_;
  std::vector<float> planes_[3];
};

// A lens out of focus: each pixel gets the mean of the (2 radius + 1)^2 pixels around it, cut off at the
// picture's border.
class Defocus final : public Lens {
 public:
  Defocus(int width, int height, int radius) : Lens(width, height), radius_(radius) {}
  void row(int y, const ColourRow &out) const override;

 private:
  int radius_;
};

// Hot air: each pixel shows a place some pixels off. Of 240 rows, up to 1.6 pixels at the top, where things
// are far, and 0.4 at the bottom. The ripples rise.
class Shimmer final : public Lens {
 public:
  Shimmer(int width, int height, std::uint32_t seed, double time);
  void row(int y, const ColourRow &out) const override;

 private:
  std::uint32_t seed_;
  float time_;
};

} // namespace vigil::scene
