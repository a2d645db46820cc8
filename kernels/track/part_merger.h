// SPDX-License-Identifier: LGPL-2.1-or-later
// Step 5 of the tracker: several boxes that belong to one track.
//
// Boxes without an owner are parts of a track when they make its box more like the prediction (IoU). Boxes
// of which 0.7 lies in the predicted box come first; then, with a gain of more than 0.2, boxes that leave
// it while another part stays in it. parting.h decides whether two large parts are two objects. Then a part
// that is 1.2 times as tall keeps the track, else the larger one; the other parts become tracks at once, but
// for slivers at the picture's border, which come and go.
// Source: this project.
#pragma once

#include "kernels/track/track.h"

#include <vector>

namespace vigil::track {

// The parts in one frame.
class PartMerger {
 public:
  PartMerger(const Params &params, Frame &frame, std::vector<Track> &tracks)
      : params_(params), frame_(frame), tracks_(tracks) {}
  void merge();

 private:
  void merge(ObservedBox &, bool coming_out);
  Track *whole_of(const ObservedBox &, bool coming_out) const;
  void note_two_parts(Track &, const Box &part) const;
  void divide(Track &);

  const Params &params_;
  Frame &frame_;
  std::vector<Track> &tracks_;
};

} // namespace vigil::track
