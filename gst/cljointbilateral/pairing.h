// SPDX-License-Identifier: LGPL-2.1-or-later
// Which frame of the guide goes with a picture: the one whose running time is nearest. Times alone, no
// frames.
//
// Two frames of the guide are looked at: the newest that is not after the picture (`before`) and the first
// that is (`after`). While the latter has not come, it is not known which one is nearer, unless the picture
// lies within half a frame's duration after `before`: then there is no need to wait.
#pragma once

#include <gst/gst.h>
#include <optional>

namespace vigil::gst::cljointbilateral {

struct GuideTime {
  GstClockTime running = 0;  // of the frame's beginning
  GstClockTime duration = 0; // 0: unknown
};

enum class Pair { before, after, none, wait };

// `more`: further frames of the guide may come, and there is time to wait for them. `tolerance` in
// nanoseconds; GST_CLOCK_TIME_NONE: any distance.
Pair pair_for(GstClockTime picture, const std::optional<GuideTime> &before,
              const std::optional<GuideTime> &after, bool more, GstClockTime tolerance);

// Whether the picture lies within half the frame's duration after its beginning.
bool is_close(GstClockTime picture, const GuideTime &);

} // namespace vigil::gst::cljointbilateral
