// SPDX-License-Identifier: LGPL-2.1-or-later
// Steps 3 and 4 of the tracker: several tracks in one box.
//
// join    A confirmed track without a box, half of which lies in a box, is in that box when the IoU of the
//         box with its tracks grows by more than 0.1 with it. So a track that is hidden behind another one,
//         or lost in front of it, is not in the other one's box. Where the tracks of a box that none was
//         assigned to explain less than a quarter of it, something else is in it as well, which hides them
//         or before which they pass.
// update  The members keep their sizes. An edge of the group's box moves the member that is predicted to
//         reach furthest there, if that member can be there. All others are predicted, and stay in the box.
// Source: M. Xu, T. Ellis, "Partial observation vs. blind tracking through occlusion", BMVC 2002.
#pragma once

#include "kernels/track/track.h"

#include <cstddef>
#include <vector>

namespace vigil::track {

// The groups of one frame.
class Groups {
 public:
  Groups(const Params &params, Frame &frame, std::vector<Track> &tracks)
      : params_(params), frame_(frame), tracks_(tracks) {}
  void join();
  // Of all boxes that several tracks share.
  void update();

 private:
  void join(std::size_t box);
  void update(std::size_t box);
  struct Edges { // the member whose edge each edge of the box is; null: none
    Track *left = nullptr, *right = nullptr, *top = nullptr, *bottom = nullptr;
  };
  Edges edges_of(std::size_t box) const;
  bool is_member(const Track &, std::size_t box) const;
  double noise(const Track &) const; // px^2, of an edge of the group's box
  bool can_be(const Track &, const Coordinate &, double centre) const;

  const Params &params_;
  Frame &frame_;
  std::vector<Track> &tracks_;
};

} // namespace vigil::track
