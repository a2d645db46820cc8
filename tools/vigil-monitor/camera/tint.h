// SPDX-License-Identifier: LGPL-2.1-or-later
// The view "overlay" where the chain works on smaller pictures: what cudamog found is drawn on the picture of
// the camera's own size, in the colours of cudamog's own overlay. The chain's thread leaves each mask with
// put(); the thread of the tiles, which has the picture, waits for it in draw().
#pragma once

#include "../config/geometry.h"

#include <condition_variable>
#include <cstdint>
#include <gst/video/video.h>
#include <list>
#include <mutex>
#include <vector>

namespace vigil::monitor {

struct FoundMask {
  GstClockTime running = GST_CLOCK_TIME_NONE; // of its frame
  int width = 0, height = 0;                  // 0: the frame has no mask
  std::vector<std::uint8_t> pixels;           // row by row: 0 background, 255 foreground, else shadow
  std::vector<Rect> boxes;                    // from 0 to 1
};

class Tint {
 public:
  Tint() = default;
  ~Tint();
  Tint(const Tint &) = delete;
  Tint &operator=(const Tint &) = delete;

  // On the chain's thread. The caps of the buffers that come next; one that is no GRAY8 stands for a frame
  // without a mask. Frames in their order, each with its running time.
  void mask_caps(const GstVideoInfo &);
  void put(GstBuffer *, GstClockTime running, std::vector<Rect> boxes);
  // On the tiles' thread. Draws on the picture, which must be writable. False when its mask does not come:
  // the chain left this frame out, or half a second was not enough.
  void picture_caps(const GstVideoInfo &);
  bool draw(GstBuffer *picture, GstClockTime running);

  void close(); // draw() waits no longer

 private:
  using Masks = std::list<FoundMask>; // moved from list to list, so that their memory is used again
  Masks take(GstClockTime running);

  GstVideoInfo mask_info_{};                     // the chain's thread's
  GstVideoInfo picture_info_{}, colours_info_{}; // the tiles' thread's, as is
  GstBuffer *colours_ = nullptr;                 // what is laid over the picture, of its size
  std::mutex lock_;
  std::condition_variable changed_;
  Masks waiting_, free_;
  bool closed_ = false;
};

} // namespace vigil::monitor
