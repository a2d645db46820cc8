// SPDX-License-Identifier: LGPL-2.1-or-later
// Coarse pictures of luma, and the shift at which the slopes of two of them agree best. It finds shifts that
// are far from where a search at full size would start.
//
// The lowest level has cells of c = max(1, ceil(longest side / 160)) pixels, each the mean of every
// max(1, c / 4)-th pixel of every max(1, c / 4)-th row; of each further level of the three a cell is the mean
// of 2x2. A cell's slope is the difference of its neighbours, across and down. Cells agree by
//   max(f.b, 0) / max(f.f, b.b)
// f and b the slopes of frame and background; counted are cells with b.b >= least_slope^2. The highest level
// is searched whole, of each lower one the shifts within two cells of the last level's best.
#pragma once

#include "kernels/registration/registration.h"

#include <array>
#include <cstdint>
#include <vector>

namespace vigil::registration {

class Pyramid {
 public:
  static constexpr int levels = 3;
  void build(const ConstImage &);
  int cell() const { return cell_; } // pixels

  struct Level {
    int columns = 0, rows = 0;
    std::vector<float> mean, across, down, energy; // energy: across^2 + down^2
  };
  const Level &level(int i) const { return levels_[std::size_t(i)]; }

 private:
  int cell_ = 1;
  std::array<Level, levels> levels_;
};

// The shift of the frame in pixels, of at most `range` in x and in y, to about a quarter of the lowest
// level's cell.
Shift find_coarse(const Pyramid &frame, const Pyramid &background, int range);

} // namespace vigil::registration
