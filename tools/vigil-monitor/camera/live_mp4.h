// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's compressed stream for one viewer, as fragmented MP4 of pieces of a tenth of a second. The stream
// is not encoded again.
#pragma once

#include "../http/frames.h"
#include "from_zero.h"
#include "stream_viewer.h"

#include <atomic>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <string>

namespace vigil::monitor {

class LiveMp4 final : public StreamViewer {
 public:
  // Throws Error::bad_setting when GStreamer has no mp4mux.
  explicit LiveMp4(GstCaps *);
  ~LiveMp4() override;

  // For the header Content-Type, with the codec where it is known: video/mp4; codecs="avc1.42c01e"
  const std::string &type() const { return type_; }

  // From the streaming thread; the first buffer must be a key frame. Never waits: a stream of which nobody
  // takes the pieces is ended, since a viewer cannot decode a stream with holes.
  void push(GstBuffer *, double time) override;
  void push_sound(SoundForm, GstCaps *, GstBuffer *, double) override {}
  void end() override;

  // On the viewer's thread: the next piece of the file. Waits for it; null at the end of the stream, and when
  // nothing has come for ten seconds.
  Bytes next();

 private:
  std::string type_;
  GstElement *pipeline_ = nullptr;
  GstAppSrc *source_ = nullptr;
  GstAppSink *sink_ = nullptr;
  FromZero times_;
  std::atomic<bool> ended_ = false;
};

} // namespace vigil::monitor
