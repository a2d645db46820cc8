// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera for RTSP clients: its compressed stream, untouched, as pay0, its findings as pay1, and its sound
// as pay2 where it has some, in a bin that GStreamer's RTSP server plays, for one client.
#pragma once

#include "../camera/findings_feed.h"
#include "../camera/stream_viewer.h"

#include <atomic>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <memory>
#include <optional>

namespace vigil::monitor {

class RtspCameraStream final : public StreamViewer {
 public:
  // `sound`: as the camera sends it; null: none. Throws Error::bad_setting when GStreamer has no payloader of
  // the video.
  RtspCameraStream(GstCaps *video, GstCaps *sound);
  ~RtspCameraStream() override;

  // Once: a floating reference, as the RTSP server's media takes it. This object does not keep the bin.
  GstElement *take_bin();
  // From streaming threads. What waits in memory, from the last key frame on, has times close together: a
  // client has a picture at once, and what follows is not late.
  void push(GstBuffer *, double time) override;
  void push_sound(SoundForm, GstCaps *, GstBuffer *, double time) override;
  void end() override;
  bool ended() const { return ended_; }

  void findings(const Bytes &document, double captured);

 private:
  std::optional<GstClockTime> now() const; // running time of the bin, once it plays

  GstElement *bin_ = nullptr;
  GstAppSrc *video_ = nullptr, *documents_ = nullptr, *sound_ = nullptr;
  std::atomic<bool> ended_ = false;
  // Under the lock of who pushes pictures and sound:
  GstClockTime first_ = GST_CLOCK_TIME_NONE; // the stream's own time of the first picture
  GstClockTime last_ = 0;                    // running time of the last picture
  GstClockTimeDiff shift_ = 0;               // from its times to running times, once began_ is known
  double sound_until_ = -1;                  // running time; -1: there was none
  // What makes a running time of a capture time; NaN before the bin plays.
  std::atomic<double> began_;
};

} // namespace vigil::monitor
