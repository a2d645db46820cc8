// SPDX-License-Identifier: LGPL-2.1-or-later
// What elements share that work on a frame's metadata and let its picture go by untouched: they take frames
// of any kind, in any memory, and know of them size and time alone.
#pragma once

#include "gst/metadata/frame_judge.h"

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

namespace vigil::gst {

// Where the stream is. The streaming thread alone uses it.
struct StreamPosition {
  double width = 0, height = 0; // of the picture in pixels, 0: the caps do not tell
  GstVideoInfo info{};          // of video/x-raw; else all zero
  FrameTime last_time;          // of the last frame
  double seconds = 0;           // of the last frame, see seconds_of()

  // Whether the size is another one than before.
  bool set_caps(GstCaps *);
  // Whether this frame, of this time, is to be passed by since it is corrupted.
  bool passes_by(GstBuffer *frame, const FrameTime &time) {
    return corrupted_.passes_by(frame, lengths_.next(info, time));
  }

 private:
  FrameLengths lengths_;
  CorruptedFrames corrupted_;
};

// Pads that take anything, and the virtual methods that pass frames, allocation and controlled properties on.
// A frame that others hold, too, gets a new buffer of the same memory, so its metadata may be changed. Frames
// that come while the element starts wait (gst/video/activation.h).
void pass_any_frames(GstBaseTransformClass *);

} // namespace vigil::gst
