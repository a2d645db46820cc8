// SPDX-License-Identifier: LGPL-2.1-or-later
// The queue before the chain. A frame that comes while the chain is busy takes the place of one that waits: a
// camera is watched as it is now. A burst of a compressed stream is looked at frame by frame: the decoder
// waits for the chain, and its queue holds the rest. A chain that does not catch up within seconds is too
// slow for this camera, and frames are left out.
#pragma once

#include "pipeline_element.h"
#include "utc.h"

#include <gst/gst.h>
#include <utility>

namespace vigil::monitor {

class ChainQueue {
 public:
  // Adds the queue to the pipeline. Throws Error::no_device.
  explicit ChainQueue(GstElement *pipeline);

  GstElement *element() const { return queue_; }
  // A frame of a compressed stream comes. On its streaming thread.
  void frame_of_decoder();

 private:
  static constexpr guint most_waiting = 3; // frames
  GstElement *const queue_;
  // The streaming thread's:
  double busy_since_ = 0; // since when frames have had to wait for the chain; 0: they do not
  bool leaks_ = true;
};

inline ChainQueue::ChainQueue(GstElement *pipeline) : queue_(add_element(pipeline, "queue")) {
  g_object_set(queue_, "max-size-buffers", most_waiting, "max-size-bytes", 0, "max-size-time", guint64{0},
               nullptr);
  gst_util_set_object_arg(G_OBJECT(queue_), "leaky", "downstream");
}

inline void ChainQueue::frame_of_decoder() {
  guint waiting = 0;
  g_object_get(queue_, "current-level-buffers", &waiting, nullptr);
  const double now = Utc::monotonic_seconds();
  if (waiting < most_waiting)
    busy_since_ = 0;
  else if (busy_since_ == 0)
    busy_since_ = now;
  constexpr double patience = 3;
  const bool leak = busy_since_ > 0 && now - busy_since_ > patience;
  if (std::exchange(leaks_, leak) != leak)
    gst_util_set_object_arg(G_OBJECT(queue_), "leaky", leak ? "downstream" : "no");
}

} // namespace vigil::monitor
