// SPDX-License-Identifier: LGPL-2.1-or-later
// What the demo learns at pads while frames go by, without elements of its own in their way.
#pragma once

#include "gst/video/gst_ptr.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace vigil::demo {

// How long each frame is in an element: from its arrival at the sink pad to its leaving at the source pad.
class Stopwatch {
 public:
  void watch(GstElement *);
  double median_milliseconds() const; // 0 when nothing went through
  // From the first frame's arrival until now.
  double seconds() const;
  std::uint64_t frames() const { return frames_; }

 private:
  using Clock = std::chrono::steady_clock;
  static GstPadProbeReturn enter(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn leave(GstPad *, GstPadProbeInfo *, gpointer);
  mutable std::mutex mutex_;
  std::map<GstClockTime, Clock::time_point> inside_; // by PTS
  std::vector<double> milliseconds_;
  std::atomic<std::uint64_t> frames_{0};
  Clock::time_point first_;
};

// Ends the stream at a pad after so many frames, whatever upstream has under way by then.
class Limit {
 public:
  void watch(GstPad *, std::uint64_t frames);

 private:
  static GstPadProbeReturn pass(GstPad *, GstPadProbeInfo *, gpointer);
  std::uint64_t left_ = 0; // of the streaming thread
  bool ended_ = false;
};

// Which frames are shown as pictures: every 60th, ten at most.
inline constexpr std::uint64_t picture_every = 60, most_pictures = 10;
inline bool shown(std::uint64_t number_from_1) {
  return number_from_1 % picture_every == 0 && number_from_1 <= picture_every * most_pictures;
}

// Keeps the frames of a pad that are to be shown, and the last one.
class Keeper {
 public:
  void watch(GstPad *);
  // To be asked after the end of stream. By number from 1; without any to be shown, the last alone.
  std::map<std::uint64_t, gst::SamplePtr> take();
  gst::SamplePtr last() const; // null when there was none

 private:
  static GstPadProbeReturn pass(GstPad *, GstPadProbeInfo *, gpointer);
  mutable std::mutex mutex_;
  std::uint64_t number_ = 0;
  gst::SamplePtr last_;
  std::map<std::uint64_t, gst::SamplePtr> kept_;
};

} // namespace vigil::demo
