// SPDX-License-Identifier: LGPL-2.1-or-later
// The queue before the chain. A frame that comes while the chain is busy takes the place of one that waits: a
// camera is watched as it is now. A burst of a compressed stream is looked at frame by frame: the decoder
// waits for the chain, and its queue holds the rest. A chain that does not catch up within seconds is too
// slow for this camera, and frames are left out.
#pragma once

#include <gst/gst.h>

namespace vigil::monitor {

class ChainQueue {
 public:
  // Adds the queue to the pipeline. Throws Error::no_device.
  explicit ChainQueue(GstElement *pipeline);

  GstElement *element() const { return queue_; }
  // A frame of a compressed stream comes. On its streaming thread.
  void frame_of_decoder();

 private:
  GstElement *const queue_;
  // The streaming thread's:
  double busy_since_ = 0; // since when frames have had to wait for the chain; 0: they do not
  bool leaks_ = true;
};

} // namespace vigil::monitor
