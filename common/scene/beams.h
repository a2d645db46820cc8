// SPDX-License-Identifier: LGPL-2.1-or-later
// Headlights of the cars that drive: light on the road before them, and their glare.
#pragma once

#include "common/scene/pixels.h"
#include "common/scene/story.h"
#include "common/scene/veil.h"

#include <vector>

namespace vigil::scene {

// Metres beyond the picture's border at which a car with its headlights on must be known already.
inline constexpr float beam_margin = 18;

class Beams {
 public:
  Beams(const Settings &, const Camera &);

  // Of the cars of one moment. Rows by any thread.
  class Frame {
   public:
    Frame(const Beams &, const std::vector<Actor> &);
    // The light that falls on pixel x of row y, as a factor for its colour.
    Rgb light(int x, int y) const;
    void glare(const ColourRow &, int y) const;

   private:
    void add_glare(const Actor &);
    const Beams &all_;
    std::vector<Actor> cars_;
    Veil veil_;
  };

 private:
  int width_;
  const Camera &camera_;
  std::vector<ScenePoint> ground_; // where each pixel lies on the ground
};

} // namespace vigil::scene
