// SPDX-License-Identifier: LGPL-2.1-or-later
// A branch behind the chain that makes documents of what was found in its frames: ONVIF's metadata stream.
#pragma once

#include "../http/frames.h"
#include "frame_clock.h"
#include "frame_delivery.h"

#include <functional>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <string>

namespace vigil::monitor {

class FindingsBranch {
 public:
  struct Calls { // on streaming threads
    std::function<bool()> wanted;
    // When its frame was captured, by the monotonic clock.
    std::function<void(const Bytes &document, double captured)> document;
  };
  FindingsBranch(GstElement *pipeline, const FrameClock &, const FrameDelivery &, Calls);

  // Of the frames of `last`; returns the element that tiles go on from.
  GstElement *build(GstElement *last, const std::string &camera);

 private:
  struct Callbacks;

  GstElement *const pipeline_;
  const FrameClock &clock_;
  const FrameDelivery &delivery_;
  const Calls calls_;
};

} // namespace vigil::monitor
