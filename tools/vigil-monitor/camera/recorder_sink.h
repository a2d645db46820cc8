// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a compressed stream leaves its pipeline for those who store it or show it as it is.
#pragma once

#include "frame_clock.h"
#include "frame_delivery.h"

#include <functional>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <initializer_list>

namespace vigil::monitor {

class RecorderSink {
 public:
  struct Calls { // on streaming threads
    std::function<void(GstCaps *)> caps;
    std::function<void(GstBuffer *, double captured)> frame; // by the monotonic clock
  };
  RecorderSink(GstElement *pipeline, const FrameClock &, const FrameDelivery &, Calls);

  // Adds it behind these elements; returns the first one, which is not linked yet.
  GstElement *add(std::initializer_list<GstElement *>, const char *caps);

 private:
  static GstFlowReturn sample(GstAppSink *, gpointer);

  GstElement *const pipeline_;
  const FrameClock &clock_;
  const FrameDelivery &delivery_;
  const Calls calls_;
};

} // namespace vigil::monitor
