// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands still, cell by cell: how long foreground has covered a cell of the grid without a break, what its outline says
// (ghost.h), and so how fast the model is to learn there. Host memory, a few thousand cells.
//
// A blob (8-connected cells that were reported) is judged as one: its cells' sums decide. Its cells' evidence moves by a
// quarter towards 1 (object), -1 (ghost) or 0 (undecided) with each look, so that one bad look decides nothing.
//
//   not in a blob                                          usual rate
//   in a blob, for less than `settled` seconds               foreground rate
//   longer, evidence below -0.5                              ghost: learnt at once
//   longer, evidence above 0.3                               object: foreground rate
//   longer, between                                          undecided: the slower of `undecided` and the usual rate
//   longer than absorb_after (when that is not 0)            learnt at once
#pragma once

#include "kernels/ghost/ghost.h"

#include <cstdint>
#include <span>
#include <vector>

namespace vigil::ghost {

// The kinds of mog::RateMap.
enum class Pace : std::uint8_t { usual, foreground, undecided, at_once };

class Waiting {
 public:
  void reset(const activity::Grid &);
  // A frame that lasts `seconds`: which cells belong to a blob (not 0), and, when this frame was looked at, what its outlines
  // say (else empty).
  void step(std::span<const std::uint8_t> in_blob, std::span<const Cell> edges, double seconds, double absorb_after);
  // A Pace for each cell, as bytes; `any` is false when all are usual.
  std::span<const std::uint8_t> paces() const { return paces_; }
  bool any() const { return any_; }
  // Cells that are taken for ghosts, and for objects, now.
  int ghosts() const { return ghosts_; }
  int objects() const { return objects_; }

 private:
  void judge(std::span<const std::uint8_t> in_blob, std::span<const Cell> edges);
  activity::Grid grid_;
  std::vector<float> covered_;  // seconds
  std::vector<float> evidence_; // -1 ghost .. 1 object
  std::vector<std::uint8_t> paces_, seen_;
  std::vector<int> members_;
  bool any_ = false;
  int ghosts_ = 0, objects_ = 0;
};

} // namespace vigil::ghost
