// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 8 of the tracker: where a track was before it was found.
//
// A track whose velocity (vx, vy) is known, 0.3 s after it was first seen, is moved back in time through the
// boxes of the last frames. As long as 0.7 of it lies in boxes of a frame, it was there, hidden in them. Its
// way is traced for at most 2 s before it was first seen, until it came in over the border, and not over gaps
// of more than 1 s. came_x and came_y of the object are the way from there to where it was confirmed.
//
// A track that goes along with another one, out of whose box it came, has no way of its own: the other may
// have fallen in two. Tracks slower than half of their size a second are not traced.
// Source: this project.
#pragma once

#include "kernels/track/track.h"

#include <array>
#include <cstddef>
#include <vector>

namespace vigil::track {

class BackTrace {
 public:
  // Of all confirmed tracks whose velocity is known now.
  void trace(const Frame &, std::vector<Track> &) const;
  // Keeps the boxes of a frame, 64 frames and at most one for each 0.03 s.
  void remember(const Frame &);
  void forget() { count_ = 0; }

 private:
  struct Past {
    double seconds = 0;
    std::vector<Box> boxes;
  };
  const Past &back(std::size_t frames) const; // 1: the last one remembered
  void trace(const Frame &, const std::vector<Track> &, Track &) const;

  std::array<Past, 64> past_; // a ring
  std::size_t next_ = 0, count_ = 0;
};

} // namespace vigil::track
