// SPDX-License-Identifier: LGPL-2.1-or-later
// The coarse pictures of coarse.h in host memory.
#pragma once

#include "kernels/registration/coarse.h"

#include <array>
#include <vector>

namespace vigil::registration {

struct Pyramid {
  struct Level {
    std::vector<std::int16_t> means;
    std::vector<Slope> slopes;
  };
  std::array<Level, coarse_levels> levels;
  void build(const ConstImage &, const CoarseGrid &);
};

// What find_coarse() asks.
struct Pyramids {
  const Pyramid &frame, &background;
  const CoarseGrid &grid;
  CoarsePeak best(int level, const Window &, int step) const;
  float agreement(int level, Shift, int step) const;
};

} // namespace vigil::registration
