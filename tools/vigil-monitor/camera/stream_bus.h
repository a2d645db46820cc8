// SPDX-License-Identifier: LGPL-2.1-or-later
// Receives the messages of a pipeline on the main thread, and reports them in words that help. Elements that
// ask for a context get it on the thread that asks.
#pragma once

#include "frame_clock.h"
#include "frame_delivery.h"
#include "source_drops.h"
#include "tools/base/contexts.h"

#include <cstdint>
#include <functional>
#include <gst/gst.h>
#include <string>

namespace vigil::monitor {

class StreamBus {
 public:
  struct Calls { // on the main thread
    std::function<void(const std::string &why)> failed;
    std::function<void()> ended; // the stream
    std::function<void(const std::string &text)> warning;
    std::function<void(GstMessage *, double time)> message; // an element message; UTC of its frame
    // Whether frames that this object drops are counted elsewhere.
    std::function<bool(GstObject *)> counts_drops_of;
  };
  StreamBus(GstElement *pipeline, tools::SharedContexts &, const FrameClock &, const FrameDelivery &, Calls);
  ~StreamBus() { end(); }
  StreamBus(const StreamBus &) = delete;
  StreamBus &operator=(const StreamBus &) = delete;

  void begin();
  void end();                                            // nothing is received any more
  std::uint64_t drops() const { return drops_.total(); } // of frames, in front of the chain

 private:
  struct Callbacks;
  void receive(GstMessage *);

  GstElement *const pipeline_;
  tools::SharedContexts &contexts_;
  const FrameClock &clock_;
  const FrameDelivery &delivery_;
  const Calls calls_;
  SourceDrops drops_; // the main thread's
  guint watch_ = 0;   // likewise
};

} // namespace vigil::monitor
