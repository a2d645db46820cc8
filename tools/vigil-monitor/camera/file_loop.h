// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream that begins again at its end without a seam. What comes after the pad gets neither the end nor a
// flush nor another segment, but one stream whose times go on, so that a decoder goes on as well: at the end
// of a stream it would empty itself, and a decoder of a GPU takes a long while to begin again.
#pragma once

#include <atomic>
#include <functional>
#include <gst/gst.h>

namespace vigil::monitor {

class FileLoop {
 public:
  // `pad` gives the stream of a source that can seek. `at_end` is called on its streaming thread at each end;
  // it has to see to it that another thread calls rewind(). The pad must give nothing any more when this
  // object goes.
  FileLoop(GstPad *pad, std::function<void()> at_end);
  ~FileLoop();
  FileLoop(const FileLoop &) = delete;
  FileLoop &operator=(const FileLoop &) = delete;

  bool rewind();                        // false when the source has no way back
  bool timed() const { return begun_; } // whether the stream has times; a picture has none

 private:
  static GstPadProbeReturn passing(GstPad *, GstPadProbeInfo *, gpointer);
  GstPadProbeReturn event(GstPadProbeInfo *);
  void buffer(GstPadProbeInfo *);
  GstPadProbeReturn segment(GstPadProbeInfo *);
  GstPadProbeReturn end();
  GstClockTimeDiff length() const;

  GstPad *const pad_;
  const std::function<void()> at_end_;
  std::atomic<bool> rewinding_ = false;
  // The streaming thread's, in nanoseconds; rewind()'s flush ends the one turn's thread before the next one's
  // begins. Running time is the time less the segment's origin.
  std::atomic<bool> begun_ = false;
  GstClockTimeDiff first_origin_ = 0, origin_ = 0;
  GstClockTimeDiff before_ = 0; // all turns before this one
  guint64 frames_ = 0;          // of this turn
  GstClockTimeDiff earliest_ = 0, latest_ = 0, last_lasts_ = 0;
};

} // namespace vigil::monitor
