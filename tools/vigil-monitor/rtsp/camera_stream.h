// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera for RTSP clients: its compressed stream, untouched, as pay0 and its findings as pay1, in a bin
// that GStreamer's RTSP server plays, for one client.
#pragma once

#include "../camera/findings_feed.h"
#include "../camera/stream_viewer.h"

#include <atomic>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <memory>

namespace vigil::monitor {

class RtspCameraStream final : public StreamViewer {
 public:
  // Throws Error::bad_setting when GStreamer has no payloader of this stream.
  explicit RtspCameraStream(GstCaps *video);
  ~RtspCameraStream() override;

  GstElement *take_bin(); // once; the reference is the caller's, and this object does not keep the bin
  // From streaming threads. Begins with a key frame that has just come: what waits in memory would make every
  // picture of this stream late.
  void push(GstBuffer *, double time) override;
  void push_sound(SoundForm, GstCaps *, GstBuffer *, double) override {}
  void end() override;
  bool ended() const { return ended_; }

  void findings(const Bytes &document, double captured);

 private:
  GstClockTime now() const; // running time of the bin

  GstElement *bin_ = nullptr;
  GstAppSrc *video_ = nullptr, *documents_ = nullptr;
  std::atomic<bool> ended_ = false;
  // Of the first picture; under the lock of who pushes pictures.
  bool begun_ = false;
  GstClockTimeDiff shift_ = 0;
  // What makes a running time of a capture time; NaN before the first picture.
  std::atomic<double> began_;
};

} // namespace vigil::monitor
