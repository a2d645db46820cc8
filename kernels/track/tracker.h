// SPDX-License-Identifier: LGPL-2.1-or-later
// From boxes in each frame to objects that keep their number.
//
// A track (track.h) is a Kalman filter of centre and size (motion.h), and what else is known of an object.
// At each frame
//   1. predict all tracks by the time that went by;
//   2. assign boxes to confirmed tracks, all at once (box_assignment.h);
//   3. join tracks without a box to the box that hides them: a group (groups.h);
//   4. split groups: members are assigned like all other tracks, by motion, size and colour, so each leaves
//      with the number with which it came;
//   5. merge boxes that are parts of one track, and divide a track whose parts are two objects
//      (part_merger.h, parting.h). Then boxes that are left go to tentative tracks, as in step 2, and all
//      tracks are updated by their boxes (groups.h, single_update.h);
//   6. begin tentative tracks with boxes that are left (lifecycle.h);
//   7. divide a track whose blob looks like two people side by side (pair_splitter.h);
//   8. end tracks that are lost (lifecycle.h), and trace new ones back to where they came from, hidden in
//      other boxes (back_trace.h).
//
// Boxes in pixels, times in seconds; x to the right, y down. "Size" is sqrt(width height). The same input
// gives the same output. Boxes that have no size or no numbers are passed over, of more than `most_boxes` the
// largest are taken. Time that goes back ends all tracks. No exception but bad_alloc.
#pragma once

#include "kernels/track/back_trace.h"
#include "kernels/track/box_assignment.h"
#include "kernels/track/lifecycle.h"
#include "kernels/track/params.h"

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::track {

class Tracker {
 public:
  void set(const Params &p) { params_ = p; }
  // One frame, at `seconds`; `width` and `height` of the picture, 0 when they are not known.
  void step(std::span<const Detection>, double seconds, double width = 0, double height = 0);
  // The tracks of the last frame, by id.
  std::span<const Object> objects() const { return objects_; }
  // Those that ended with it, by id.
  std::span<const Object> ended() const { return lifecycle_.ended(); }
  // Boxes of the last frame that were passed over.
  std::size_t passed_over() const { return frame_.passed_over; }
  // Ends all tracks; they are in ended(). Ids go on.
  void reset();

 private:
  void begin_frame(std::span<const Detection>, double seconds, double width, double height);
  void predict();
  void update();
  void report();

  Params params_;
  Frame frame_; // the last one
  std::vector<Track> tracks_;
  BoxAssignment assignment_;
  Lifecycle lifecycle_;
  BackTrace back_trace_;
  std::vector<Object> objects_;
  bool started_ = false;
};

} // namespace vigil::track
