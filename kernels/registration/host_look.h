// SPDX-License-Identifier: LGPL-2.1-or-later
// What search.h asks, in host memory. `Score` gives the score of a Shift.
#pragma once

#include "kernels/registration/search.h"

namespace vigil::registration {

template <class Score>
class HostLook {
 public:
  HostLook(const Score &score, int reach, int longest_side)
      : score_(score), reach_(reach), range_(range_of(longest_side)), turn_(most_turn(longest_side)),
        zoom_(most_zoom(longest_side)) {}
  int reach() const { return reach_; }
  Peak at(Shift s) const { return {s, static_cast<float>(score_(s))}; }
  Peak best_around(const Peak &from, int step) const {
    return best(from, [&](Shift &s, int dx, int dy) {
      s.x += dx * step;
      s.y += dy * step;
      return size_of(s.x) <= range_ && size_of(s.y) <= range_;
    });
  }
  Peak best_turned(const Peak &from, int step) const {
    return best(from, [&](Shift &s, int dx, int dy) {
      s.turn += dx * step;
      s.zoom += dy * step;
      return size_of(s.turn) <= turn_ && size_of(s.zoom) <= zoom_;
    });
  }

 private:
  template <class Move>
  Peak best(const Peak &from, const Move &move) const {
    Peak best = from;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        Shift s = from.at;
        if ((dx != 0 || dy != 0) && move(s, dx, dy)) best = higher(best, at(s));
      }
    return best;
  }
  const Score &score_;
  const int reach_, range_, turn_, zoom_;
};

} // namespace vigil::registration
