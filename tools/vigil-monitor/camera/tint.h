// SPDX-License-Identifier: LGPL-2.1-or-later
// The view "overlay" where the chain works on smaller pictures: what cudamog found is drawn on the picture of
// the camera's own size, in the colours of cudamog's own overlay. The chain's thread leaves each mask with
// put(); the thread of the tiles, which has the picture, waits for it in draw().
#pragma once

#include "../config/geometry.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <gst/video/video.h>
#include <mutex>
#include <vector>

namespace vigil::monitor {

struct FoundMask {
  GstClockTime pts = GST_CLOCK_TIME_NONE;
  int width = 0, height = 0;
  std::vector<std::uint8_t> pixels; // row by row: 0 background, 255 foreground, else shadow
  std::vector<Rect> boxes;          // from 0 to 1
};

class Tint {
 public:
  // Frames in their order. A buffer that is no GRAY8, by its caps, stands for a frame without a mask.
  void put(GstBuffer *, GstCaps *, std::vector<Rect> boxes);
  // Draws on the picture, which must be writable. False when its mask does not come: the chain left this
  // frame out, or half a second was not enough.
  bool draw(GstBuffer *picture, GstCaps *);
  void close(); // draw() waits no longer

 private:
  bool take(GstClockTime pts, FoundMask &);
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<FoundMask> masks_;
  bool closed_ = false;
};

} // namespace vigil::monitor
