// SPDX-License-Identifier: LGPL-2.1-or-later
// When the exposure of a frame is undone, and when the picture of the background that it is compared with is
// drawn again: the same frames wherever the work is done, so that all backends give the same masks.
#pragma once

#include <utility>

namespace vigil::gst::glcolinearseg {

class Comparison {
 public:
  enum class Act {
    leave, // segment the frame as it is
    begin, // nothing is known of the exposure: forget the lines of frames before, draw the background
    draw,  // draw the background
    go_on, // compare with the background that was drawn before
  };
  // Another background.
  void restart() { segmented_ = known_ = false; }
  // The background was drawn in another size or format, or is gone.
  void forget() { known_ = false; }
  // What to do with the next frame. learning: it belongs to the background.
  Act next(bool learning, bool wanted) {
    const bool comparable = std::exchange(segmented_, !learning) && !learning;
    if (!comparable || !wanted) {
      known_ = false;
      return Act::leave;
    }
    const bool first = !std::exchange(known_, true);
    if (!first && ++age_ < refresh_every) return Act::go_on;
    age_ = 0;
    return first ? Act::begin : Act::draw;
  }

 private:
  static constexpr int refresh_every = 8; // frames; the background adapts slowly
  bool segmented_ = false;                // a frame with this background
  bool known_ = false;                    // the background was drawn
  int age_ = 0;                           // frames since then
};

} // namespace vigil::gst::glcolinearseg
