// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a compressed stream leaves its pipeline as it came, for viewers who may see what privacy covers.
#pragma once

#include "recorder_sink.h"

#include <functional>
#include <gst/gst.h>
#include <string>

namespace vigil::monitor {

class UncoveredSink {
 public:
  // `missing`: called when nothing will come, since the stream is neither H.264 nor H.265.
  UncoveredSink(GstElement *pipeline, const FrameClock &, const FrameDelivery &, RecorderSink::Calls,
                std::function<void()> missing);

  // Adds it for a stream whose caps have this name. Returns the first element, which is not linked yet; null:
  // nothing will come.
  GstElement *add(const std::string &caps);

 private:
  GstElement *const pipeline_;
  RecorderSink sink_;
  const std::function<void()> missing_;
};

} // namespace vigil::monitor
