// SPDX-License-Identifier: LGPL-2.1-or-later
// The pipeline of one of a camera's streams, from its source to what a derived class links behind it. It
// lives as long as one connection: after a failure another is built.
#pragma once

#include "../config/config.h"
#include "frame_clock.h"
#include "frame_delivery.h"
#include "pipeline_threads.h"
#include "recorder_sink.h"
#include "sender_clock.h"
#include "silhouette_feed.h"
#include "size_guard.h"
#include "stream_bus.h"
#include "stream_end.h"
#include "stream_sound.h"
#include "tools/base/contexts.h"
#include "uncovered_sink.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <gst/gst.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

namespace vigil::monitor {

struct StreamEvents {
  // On streaming threads:
  std::function<void(GstCaps *)> record_caps;
  std::function<void(GstBuffer *, double captured)> record_frame; // by the monotonic clock
  std::function<void(SoundForm, GstCaps *, GstBuffer *, double captured)> sound;
  // The compressed stream as it came, where privacy covers the one above and some role may see this one.
  std::function<void(GstCaps *)> uncovered_caps;
  std::function<void(GstBuffer *, double captured)> uncovered_frame;
  std::function<void()> uncovered_missing; // nothing will come: it is neither H.264 nor H.265
  // On the main thread:
  std::function<void(GstMessage *, double time)> message; // an element message; UTC of its frame
  std::function<void(const std::string &why)> failed;
  std::function<void(const std::string &why)> ended; // what is played once, at its end
  std::function<void(const std::string &text)> warning;
};

class StreamPipeline {
 public:
  StreamPipeline(const StreamPipeline &) = delete;
  StreamPipeline &operator=(const StreamPipeline &) = delete;
  virtual ~StreamPipeline(); // takes the pipeline down, which can take long

  // When it fails, `failed` is called by the main loop's next turn. Returns while the source is being opened,
  // which may never end (a FIFO that nobody writes to, a network folder).
  void play();
  // Nothing is called any more once this returns, but what runs on other threads at this moment.
  virtual void mute();

  std::uint64_t frames_in() const { return frames_.in; }    // that came
  std::uint64_t frames_out() const { return frames_.out; }  // that went through
  std::uint64_t decoded() const { return frames_.decoded; } // pictures that came out of a decoder
  virtual std::uint64_t tiles() const { return 0; }
  std::optional<double> sender_lag() const { return sender_clock_.lag(); }

 protected:
  // `name`: of the pipeline, for GStreamer's log. `with_sound`: of RTP, to `sound`.
  StreamPipeline(const CameraConfig &, const std::string &name, const std::string &source, bool with_sound,
                 StreamEvents, tools::SharedContexts &, const Utc &);
  // Links the source's video, whose caps have this name. On the source's thread; what it throws is an error
  // of the stream.
  virtual void link(GstPad *, const std::string &caps) = 0;
  // Whether frames that this object drops are counted elsewhere.
  virtual bool counts_drops_of(GstObject *) const { return false; }
  // For the destructors of derived classes: afterwards no thread of the pipeline uses the object.
  void take_down();

  GstElement *add(const char *factory);
  // The pad that gives what `pad` gives, at the speed of a recording, in whole JPEG pictures.
  GstPad *prepared(GstPad *pad, const std::string &caps);
  // Encodes raw pictures for the recorder, covered where the camera has privacy; returns the first element,
  // a queue that is not linked yet. There must be an encoder (h264_encoder.h).
  GstElement *add_encoding();
  // Covers the pictures that come through the pad, where the camera has privacy.
  void cover(GstPad *);

  struct FrameCounts { // from any thread
    std::atomic<std::uint64_t> in = 0, out = 0, decoded = 0;
  };

  const CameraConfig config_;
  GstElement *const pipeline_;
  // What hides silhouettes; null: the camera does not ask for that.
  const std::shared_ptr<SilhouetteFeed> silhouettes_;
  const FrameClock clock_;
  FrameDelivery delivery_;
  FrameCounts frames_;
  StreamEnd end_;
  SizeGuard size_guard_;
  PipelineThreads threads_;
  StreamBus bus_; // the main thread's
  RecorderSink recorder_sink_;
  std::optional<UncoveredSink> uncovered_; // none: no role sees the stream as it came

 private:
  struct Callbacks;
  void link_stream(GstPad *);
  void rewind(); // a file, at its end; when it cannot, `failed` is called

  std::optional<StreamSound> sound_; // none: it is not asked for
  SenderClock sender_clock_;
  std::atomic<bool> linked_ = false; // the source's video
};

} // namespace vigil::monitor
