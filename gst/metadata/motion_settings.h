// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of elements that report blobs and motion. Knows no GStreamer.
#pragma once

#include "common/params.h"

#include <tuple>

namespace vigil::gst {

struct MotionSettings {
  int min_area = 100;
  float threshold = 0.001f;
  int delay = 0;
  int hold = 1000;
  bool post_messages = true;
  bool operator==(const MotionSettings &) const = default;
};
inline constexpr auto motion_table = std::tuple{
    param("min-area", "Least area",
          "Foreground pixels that a blob must have to be reported (as metadata, in messages and as a box)",
          &MotionSettings::min_area, 1, 100000000),
    param("motion-threshold", "Motion threshold",
          "Motion begins when the reported blobs' share of the watched pixels reaches this (0.001: one pixel "
          "in a thousand), and ends when it "
          "stayed below half of this for motion-hold",
          &MotionSettings::threshold, 0.f, 1.f),
    param("motion-delay", "Motion delay",
          "Milliseconds, in the stream's time, for which motion must have gone on before motion-begin is "
          "posted: what shows in single frames is no event. 0: the first frame is enough, as it is "
          "where frames come at least this far apart",
          &MotionSettings::delay, 0, 3600000),
    param("motion-hold", "Motion hold",
          "Milliseconds without motion, in the stream's time, after which motion-end is posted",
          &MotionSettings::hold, 0, 3600000),
    param("post-messages", "Post messages",
          "Post motion-begin, motion-end and the element's other messages on the bus",
          &MotionSettings::post_messages),
};

} // namespace vigil::gst
