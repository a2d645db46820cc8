// SPDX-License-Identifier: LGPL-2.1-or-later
// Times for streams that have none, as JPEG pictures by HTTP: the time at which a picture arrived. Without
// one it cannot be shown, recorded or said to belong to an event. In a stream that has times, a buffer
// without one stays as it is, unless it is a JPEG picture, which is whole by itself.
#pragma once

#include <gst/gst.h>

namespace vigil::monitor {

class ArrivalTimes {
 public:
  // `pad` and `pipeline` must outlive what comes through the pad.
  static void watch(GstPad *pad, GstElement *pipeline);

 private:
  explicit ArrivalTimes(GstElement *pipeline) : pipeline_(pipeline) {}
  static GstPadProbeReturn passing(GstPad *, GstPadProbeInfo *, gpointer);
  GstClockTime running() const; // now; 0 before the pipeline plays

  GstElement *const pipeline_;
  gint64 own_ = 0; // when a buffer came that had a time, in microseconds of the monotonic clock; 0: none did
  GstClockTime last_ = 0; // the running time that was given last
};

} // namespace vigil::monitor
