// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's sound, out of the RTP of its source: as the camera sends it, and as a file holds it.
#pragma once

#include "frame_clock.h"
#include "frame_delivery.h"
#include "stream_viewer.h"

#include <functional>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <initializer_list>

namespace vigil::monitor {

class StreamSound {
 public:
  // On streaming threads; captured by the monotonic clock.
  using Take = std::function<void(SoundForm, GstCaps *, GstBuffer *, double captured)>;
  StreamSound(GstElement *pipeline, const FrameClock &, const FrameDelivery &, Take);

  // On the source's thread. Throws Error::no_device when an element for it is not installed.
  void link(GstPad *rtp);

 private:
  struct Callbacks;
  GstElement *add_sink(GstElement *last, const char *caps, GstFlowReturn (*)(GstAppSink *, gpointer));

  GstElement *const pipeline_;
  const FrameClock &clock_;
  const FrameDelivery &delivery_;
  const Take take_;
};

} // namespace vigil::monitor
