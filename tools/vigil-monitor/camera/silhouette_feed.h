// SPDX-License-Identifier: LGPL-2.1-or-later
// Brings what hides the silhouettes of a frame (silhouettes.h) from the chain's thread to those that cover
// the same frame's picture: they wait for it.
#pragma once

#include <gst/gst.h>
extern "C" { // see tint.cpp
#include <gst/video/video.h>
}

#include "silhouettes.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace vigil::monitor {

class SilhouetteFeed {
 public:
  // On the chain's thread. The caps of the buffers that come next; one that is no GRAY8 has no mask. Frames
  // in their order, each with its running time. `known`: the model says something of this scene.
  void mask_caps(const GstVideoInfo &);
  void put(GstBuffer *, GstClockTime running, bool known);

  // On a thread that covers. None: this frame was not analysed, or half a second was not enough.
  std::optional<SharedSilhouettes> take(GstClockTime running);

  void close(); // take() waits no longer

 private:
  struct Found {
    GstClockTime running;
    SharedSilhouettes cells;
  };
  SharedSilhouettes look(GstBuffer *, GstClockTime running, bool known);

  GstVideoInfo mask_info_{}; // the chain's thread's, as is
  Silhouettes silhouettes_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Found> found_; // of the last frames
  bool closed_ = false;
};

} // namespace vigil::monitor
