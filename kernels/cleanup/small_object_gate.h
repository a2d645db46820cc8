// SPDX-License-Identifier: LGPL-2.1-or-later
// In which cells small objects are kept (SmallObjects, cleanup.h): where they are rare. Leaves, rain, noise
// and a coder's blocks make small persistent specks again and again at the same places, an object passes.
//   rate(cell)   moving mean of `seen`, over 10 s
//   share        moving mean of the share of cells that are seen, over 1 s
//   near others  from share < 0.01 on, until it is 0.02 or more: outlines of larger objects are completed
//   all          from share < 0.002 on, until it is 0.004 or more; in small pictures from one cell on, until
//                it is four
//   allowed      one of these, where rate < 0.15 in the cell and in its eight neighbours
// After reset() the share is 0.02, so nothing is kept at first. (Source: this project; chosen on the
// sequences named in docs/measurements/log/2026-11/foreground.md.) Host memory, no device.
#pragma once

#include "kernels/cell_grid/cell_grid.h"

#include <cstdint>
#include <span>
#include <vector>

namespace vigil::cleanup {

class SmallObjectGate {
 public:
  void reset(const cell_grid::Grid &);
  // `seen` of the next frame, one entry a cell, which lasts `seconds`.
  void step(std::span<const std::uint8_t> seen, double seconds);
  // A KeepSmall for each cell.
  std::span<const std::uint8_t> allowed() const { return allowed_; }
  bool any() const { return near_others_.open; }

 private:
  // Open from a share below one limit on, until it reaches another.
  struct Gate {
    double opens_below = 0, closes_at = 0;
    bool open = false;
    void step(double share) { open = share < (open ? closes_at : opens_below); }
  };
  void decide();

  cell_grid::Grid grid_;
  std::vector<float> rate_;
  std::vector<std::uint8_t> allowed_;
  double share_ = 0;
  Gate near_others_{}, all_{};
};

} // namespace vigil::cleanup
