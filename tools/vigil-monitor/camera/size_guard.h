// SPDX-License-Identifier: LGPL-2.1-or-later
// Refuses a stream whose pictures are too large, or whose size changes too often (picture_limit.h). From then
// on nothing of the stream is taken. On streaming threads; refused() from any thread.
#pragma once

#include "picture_limit.h"

#include <atomic>
#include <cstdint>
#include <gst/gst.h>
#include <string>

namespace vigil::monitor {

class SizeGuard {
 public:
  // `changes_count`: the size of a file may change at any time.
  SizeGuard(GstElement *pipeline, std::uint64_t max_pixels, bool changes_count)
      : pipeline_(pipeline), limit_(max_pixels), changes_count_(changes_count) {}

  void watch_caps(GstPad *);  // refuses pictures that are too large
  void stop_frames(GstPad *); // of a stream that is refused
  void judge_change(int width, int height);
  bool refused() const { return refused_; }

 private:
  static GstPadProbeReturn caps(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn frame(GstPad *, GstPadProbeInfo *, gpointer);
  void refuse(const std::string &why);

  GstElement *const pipeline_;
  PictureLimit limit_;
  const bool changes_count_;
  std::atomic<bool> refused_ = false;
};

} // namespace vigil::monitor
