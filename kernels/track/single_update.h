// SPDX-License-Identifier: LGPL-2.1-or-later
// The update of a track by a box that it has for itself: place, size and colour.
//
// partial  Where the box is less than half of the track's box, and 0.7 of it lies in that, something hides
//          the rest. For up to `lost_after` the track keeps its size, and nearly its place: it moves by as
//          little as it takes to cover the part. After that it is as small as it looks.
// border   Of an object that the picture's border cuts off, only the free edge is measured (border.h).
// turned   A track that comes out of a group far from where its motion led (chi squared above 9) has turned
//          round in it, so its velocity starts anew.
// Source: this project.
#pragma once

#include "kernels/track/track.h"

namespace vigil::track {

class SingleUpdate {
 public:
  SingleUpdate(const Params &params, const Frame &frame) : params_(params), frame_(frame) {}
  // The track has a box, and is not in a group.
  void update(Track &) const;

 private:
  bool is_partial(const Track &) const;
  void update_partial(Track &) const;
  void update_whole(Track &) const;
  void move(Motion &, const Box &, bool from_group) const;

  const Params &params_;
  const Frame &frame_;
};

} // namespace vigil::track
