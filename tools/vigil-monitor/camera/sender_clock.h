// SPDX-License-Identifier: LGPL-2.1-or-later
// How much later than the camera says its frames are taken for captured here, by the times that an RTSP
// camera sends with its stream (RTCP sender reports). The camera's clock may be wrong: only the difference
// between two streams of one camera means something, since they have one clock.
#pragma once

#include <atomic>
#include <gst/gst.h>
#include <optional>

namespace vigil::monitor {

class SenderClock {
 public:
  // `rtp`: gives packets in the pipeline's running time. The pipeline is down before this object goes.
  void watch(GstPad *rtp, GstElement *pipeline);
  // Our monotonic clock less the camera's NTP time, in seconds; none before its first report, or where the
  // camera sends none.
  std::optional<double> lag() const;

 private:
  static GstPadProbeReturn passing(GstPad *, GstPadProbeInfo *, gpointer);
  void packet(GstPad *, GstBuffer *);

  GstElement *pipeline_ = nullptr;
  std::atomic<bool> known_ = false;
  std::atomic<double> lag_ = 0;
};

} // namespace vigil::monitor
