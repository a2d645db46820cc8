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
          "Least number of foreground pixels of a blob that is reported (as metadata, in messages and as a "
          "box). Higher: small objects are not reported",
          &MotionSettings::min_area, 1, 100000000),
    param("motion-threshold", "Motion threshold",
          "Share of the watched pixels, 0..1, that the reported blobs reach when motion begins (0.001: one "
          "pixel in a thousand). Motion ends after motion-hold below half of it. Higher: fewer events, "
          "distant people are missed",
          &MotionSettings::threshold, 0.f, 1.f),
    param("motion-delay", "Motion delay",
          "Milliseconds of the stream that motion must last before motion-begin is posted. Higher: fewer "
          "events, fast objects are missed. 0: the first frame is enough, as it also is where frames come "
          "at least this far apart",
          &MotionSettings::delay, 0, 3600000),
    param("motion-hold", "Motion hold",
          "Milliseconds of the stream without motion after which motion-end is posted. Higher: fewer and "
          "longer events",
          &MotionSettings::hold, 0, 3600000),
    param("post-messages", "Post messages",
          "Whether motion-begin, motion-end and the element's other messages are posted on the bus",
          &MotionSettings::post_messages),
};

} // namespace vigil::gst
