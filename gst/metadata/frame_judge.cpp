// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/frame_judge.h"

#include <algorithm>
#include <utility>

namespace vigil::gst {

double FrameLengths::next(const GstVideoInfo &info, const FrameTime &time) {
  const GstClockTime before = std::exchange(before_, time.running);
  const double own = double(duration_of(info, time)) / GST_SECOND;
  if (!GST_CLOCK_TIME_IS_VALID(before) || !GST_CLOCK_TIME_IS_VALID(time.running) || time.running <= before)
    return own;
  const double since = double(time.running - before) / GST_SECOND;
  const double last = std::exchange(lasted_, since);
  if (since <= std::max(longest_frame, gap * last)) return since;
  return last > 0 ? last : std::min(own, longest_frame);
}

bool CorruptedFrames::passes_by(GstBuffer *buffer, double seconds) {
  if (!GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_CORRUPTED)) {
    blind_ = 0;
    return false;
  }
  blind_ += seconds;
  if (blind_ <= patience) return true;
  if (warning_ == Warning::none) warning_ = Warning::due;
  return false;
}

bool CorruptedFrames::take_warning() {
  if (warning_ != Warning::due) return false;
  warning_ = Warning::given;
  return true;
}

Error corrupted_frames_are_taken() {
  return Error(Error::Kind::bad_data,
               text("the decoder marks every picture as corrupted for more than ", CorruptedFrames::patience,
                    " s, so from now on such pictures are taken as they are; if they show what is not there, "
                    "look for packet loss and let the camera send key frames"));
}

} // namespace vigil::gst
