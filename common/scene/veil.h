// SPDX-License-Identifier: LGPL-2.1-or-later
// Small things between the lens and the scene: drops, flakes, insects, threads. Each is a line with round
// ends that lets a part of the picture shine through.
#pragma once

#include "common/scene/pixels.h"
#include "common/scene/shapes.h"

#include <vector>

namespace vigil::scene {

class Veil {
 public:
  // From a to b, in pixels. `dense`: the share of the picture that it hides, 0..1.
  void add(ScenePoint a, ScenePoint b, float radius, const Rgb &, float dense);
  void row(const ColourRow &, int width, int y) const;

 private:
  Drawing drawing_;
  std::vector<float> dense_; // of each shape
};

} // namespace vigil::scene
