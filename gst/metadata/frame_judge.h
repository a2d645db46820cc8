// SPDX-License-Identifier: LGPL-2.1-or-later
// How long a frame counts, and whether it is a picture that says something of the scene. For elements that
// know the frames before.
#pragma once

#include "common/error.h"
#include "gst/metadata/results.h"

#include <gst/video/video.h>

namespace vigil::gst {

// The time for which frames last, whose sum is the time that things are seen: a gap in the stream is no such
// time. A frame that came later than `longest_frame` and `gap` times as late as the one before came after a
// gap, and lasts as long as that one.
class FrameLengths {
 public:
  static constexpr double longest_frame = 1; // seconds, of a camera whose rate is not known yet
  static constexpr double gap = 4;           // so much longer than the frame before
  // Frames in their order. The time since the frame before, what the buffer says, or the caps' frame rate.
  double next(const GstVideoInfo &, const FrameTime &);
  void restart() { *this = {}; } // the next frame is a stream's first

 private:
  GstClockTime before_ = GST_CLOCK_TIME_NONE; // running time of the frame before
  double lasted_ = 0;                         // seconds, that one, gaps included; 0: not known
};

// Pictures that a decoder marks as corrupted, as those before the first key frame are, show what is not
// there. They are passed by for a limited time: a stream of which each picture is marked for `patience`
// seconds is taken as it is, until a picture is not.
class CorruptedFrames {
 public:
  static constexpr double patience = 10; // seconds
  // Whether this frame, which lasts `seconds`, is to be passed by.
  bool passes_by(GstBuffer *, double seconds);
  // True once, when marked frames are taken for the first time.
  bool take_warning();
  void restart() { *this = {}; }

 private:
  double blind_ = 0; // seconds for which all frames were marked
  enum class Warning { none, due, given } warning_ = Warning::none;
};
// The warning's text.
Error corrupted_frames_are_taken();

// Both, for one stream.
class FrameJudge {
 public:
  // Adds to the time how long the frame counts and, where an element `learns`, whether it is passed by.
  void judge(const GstVideoInfo &info, GstBuffer *frame, bool learns, FrameTime &time) {
    time.seconds = lengths_.next(info, time);
    time.passes_by = learns && corrupted_.passes_by(frame, time.seconds);
  }
  bool take_warning() { return corrupted_.take_warning(); }
  void restart_lengths() { lengths_.restart(); }
  void restart() { *this = {}; }

 private:
  FrameLengths lengths_;
  CorruptedFrames corrupted_;
};

} // namespace vigil::gst
