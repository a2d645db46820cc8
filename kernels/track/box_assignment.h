// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 2 of the tracker: which box belongs to which track, all at once (assignment.h).
//
//   cost(track, box) = (d^2 / gate + (1 - IoU) + colour difference) / 3
//
// d^2 is the Mahalanobis distance of centre and size, gate = 16 (chi squared, 4 degrees of freedom: 0.3 % of
// the true pairs are lost). d^2 > gate and different labels are forbidden. A member of a group may turn round
// unseen, so its centre may be half of its size off. That holds only for boxes most of which lie in the
// group's box, with the edges moved out by the way that a new object goes in a frame.
// Source: this project.
#pragma once

#include "kernels/track/assignment.h"
#include "kernels/track/track.h"

#include <cstddef>
#include <vector>

namespace vigil::track {

// Keeps its memory from frame to frame.
class BoxAssignment {
 public:
  // Gives boxes without an owner to the tracks that are (not) confirmed. Those that hold something else
  // as well (ObservedBox::more) go to tracks that are not confirmed.
  void assign(const Params &, Frame &, std::vector<Track> &, bool confirmed);

 private:
  std::vector<double> costs_;
  std::vector<std::size_t> rows_, columns_;
  Assignment assignment_;
};

// Infinity: forbidden. `since`: seconds from the frame before.
double cost_of(const Track &, const Detection &, const Params &, double since);

} // namespace vigil::track
