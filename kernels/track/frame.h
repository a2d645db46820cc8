// SPDX-License-Identifier: LGPL-2.1-or-later
// The boxes of one frame, and which tracks have them. Each step of the tracker (tracker.h) adds to this.
#pragma once

#include "kernels/track/border.h"
#include "kernels/track/detection.h"

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::track {

inline constexpr std::size_t most_boxes = 400;

struct ObservedBox {
  Detection detection;
  int index = 0;       // in the detections of the frame
  int owners = 0;      // tracks that have it
  int part_of = -1;    // the track of which it is one part of several, as an index; -1: none
  bool object = false; // it has parted from a confirmed track, and is an object of its own
  bool more = false;   // its owners explain a small part of it
  int rest = -1;       // then: the tentative track that is the rest, as an index; -1: none

  // It holds several tracks, or a track and something else.
  bool shared() const { return owners > 1 || more; }
};

struct Frame {
  std::vector<ObservedBox> boxes;
  double seconds = 0;           // of this frame
  double since = 0;             // seconds from the frame before
  double width = 0, height = 0; // of the picture, px; 0: not known
  std::size_t passed_over = 0;  // boxes that were not taken

  // Takes the detections that have a size and numbers; of more than `most_boxes` the largest.
  void take(std::span<const Detection>);
  // How the picture's border cuts a box off, in each direction.
  Cut cut_x(const Box &b) const { return cut_of(b.x, b.x + b.width, width); }
  Cut cut_y(const Box &b) const { return cut_of(b.y, b.y + b.height, height); }
  bool cut_off(const Box &b) const { return cut_x(b) != Cut::none || cut_y(b) != Cut::none; }
};

} // namespace vigil::track
