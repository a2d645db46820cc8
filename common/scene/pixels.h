// SPDX-License-Identifier: LGPL-2.1-or-later
// The sensor: adds noise to rows of colours and writes them in a pixel format.
#pragma once

#include "common/scene/scene.h"

#include <array>

namespace vigil::scene {

// Rows of `width` floats, 0..255.
struct ColourRow {
  float *r, *g, *b;
};

class Sensor {
 public:
  Sensor(std::uint32_t seed, float sigma);
  // Adds the noise of row y of a frame to the colours, rounds them to whole numbers and cuts them to 0..255.
  // With `grey`, r becomes luma first and gets the noise alone; it is then not rounded. `strength`
  // multiplies the noise.
  void expose(const ColourRow &, int width, int y, std::uint64_t frame, const Coding *grey,
              float strength = 1) const;

 private:
  std::uint32_t seed_;
  bool noisy_;
  std::array<float, 1024> table_; // equally likely values
};

// Writes the rows 2*pair and 2*pair+1 (the second only where the image has it) after expose().
void write_rows(const ColourRow rows[2], int pair, const Image &, const Coding &);

} // namespace vigil::scene
