// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 7 of the tracker: a track whose blob has looked like two people side by side for 0.3 s becomes two
// tracks, which are a group. The time in which it does not look so counts a quarter against that.
//
// With the spread measured in units of the box, X = xx / width^2 and Y = yy / height^2, a shape that has an
// axis of symmetry in both directions, as a rectangle (1/12, 1/12) or an ellipse (1/16, 1/16), has X = Y. One
// upright person is heavy in the middle (X about 0.047, Y about 0.060); two of them side by side are light
// there: X > Y. A blob is a pair's when X > Y, X > 0.06, its width is 0.5 to 0.95 of its height, it is at
// least 32 px high, and the upper and lower borders of the picture do not cut it off.
// Source: this project.
#pragma once

#include "kernels/track/lifecycle.h"
#include "kernels/track/track.h"

#include <vector>

namespace vigil::track {

// Whether the shape of a blob is that of a pair.
bool looks_like_a_pair(const Detection &);

// The pairs of one frame.
class PairSplitter {
 public:
  // New tracks have their numbers from `lifecycle`.
  PairSplitter(const Frame &frame, std::vector<Track> &tracks, Lifecycle &lifecycle)
      : frame_(frame), tracks_(tracks), lifecycle_(lifecycle) {}
  void split();

 private:
  bool is_pair(Track &) const;
  Track split(Track &) const; // returns the right half

  const Frame &frame_;
  std::vector<Track> &tracks_;
  Lifecycle &lifecycle_;
};

} // namespace vigil::track
