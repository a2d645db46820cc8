// SPDX-License-Identifier: LGPL-2.1-or-later
// The pipeline of one of a camera's streams, from its source to what a derived class links behind it. It
// lives as long as one connection: after a failure another is built.
#pragma once

#include "../config/config.h"
#include "file_loop.h"
#include "picture_limit.h"
#include "sender_clock.h"
#include "silhouette_feed.h"
#include "source_drops.h"
#include "stream_viewer.h"
#include "tools/base/contexts.h"
#include "utc.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace vigil::monitor {

struct StreamEvents {
  // On streaming threads:
  std::function<void(GstCaps *)> record_caps;
  std::function<void(GstBuffer *, double captured)> record_frame; // by the monotonic clock
  std::function<void(SoundForm, GstCaps *, GstBuffer *, double captured)> sound;
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

  std::uint64_t frames_in() const { return frames_in_; }   // that came
  std::uint64_t frames_out() const { return frames_out_; } // that went through
  std::uint64_t decoded() const { return decoded_; }       // pictures that came out of a decoder
  virtual std::uint64_t tiles() const { return 0; }
  std::optional<double> sender_lag() const { return sender_clock_.lag(); }

 protected:
  // `name`: of the pipeline, for GStreamer's log. `with_sound`: of RTP, to `sound`.
  StreamPipeline(const CameraConfig &, const std::string &name, std::string source, bool with_sound,
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
  // Elements that end in record_caps and record_frame; returns the first one, which is not linked yet.
  GstElement *add_storing(std::initializer_list<GstElement *>, const char *caps);
  // Encodes raw pictures for the recorder, covered where the camera has privacy; returns the first element,
  // a queue that is not linked yet. There must be an encoder (h264_encoder.h).
  GstElement *add_encoding();
  void refuse(const std::string &why); // the camera's stream: from now on nothing of it is taken
  // Covers the pictures that come through the pad, where the camera has privacy.
  void cover(GstPad *);
  void watch_caps(GstPad *);                // refuses pictures that are too large
  void judge_change(int width, int height); // refuses pictures whose size changes too often
  bool is_file() const;
  // Runs f on a thread of its own, which the destructor waits for: opening and seeking wait for others, and
  // many cameras must not wait for each other.
  void on_own_thread(std::function<void()> f);
  double age_of(GstClockTime running) const; // seconds since then; 0 when the time is of no use
  double utc_of(GstClockTime running) const { return utc_.now() - age_of(running); }
  // By the segment of the pad; GST_CLOCK_TIME_NONE when it has none, or the buffer no time.
  static GstClockTime running_time(GstPad *, GstBuffer *);
  double time_of(GstPad *, GstBuffer *) const;

  const CameraConfig config_;
  const Utc &utc_;
  GstElement *pipeline_ = nullptr;
  // What hides silhouettes; null: the camera does not ask for that.
  const std::shared_ptr<SilhouetteFeed> silhouettes_;
  SourceDrops source_drops_; // the main thread's
  std::atomic<bool> muted_ = false, refused_ = false;
  std::shared_mutex delivery_; // shared by threads that hand over what they have, unless muted_
  std::atomic<std::uint64_t> frames_in_ = 0, frames_out_ = 0, decoded_ = 0;

 private:
  struct Callbacks;
  void link_stream(GstPad *);
  void link_sound(GstPad *);
  GstElement *add_sound_sink(GstElement *last, const char *caps, GstFlowReturn (*)(GstAppSink *, gpointer));
  const char *why_ended() const; // the stream
  bool is_over() const;          // whether the end of the stream is the end of what was asked for
  void rewind();                 // a file, at its end; when it cannot, `failed` is called

  const std::string source_;
  const bool with_sound_;
  const StreamEvents events_;
  tools::SharedContexts &contexts_;
  guint watch_ = 0;
  PictureLimit limit_;
  SenderClock sender_clock_;
  std::atomic<bool> linked_ = false;
  std::atomic<bool> recording_ = false; // the stream has a length and is played at its own speed
  std::unique_ptr<FileLoop> loop_;      // of what has an end; the threads' that link and rewind it
  std::mutex threads_lock_;
  std::condition_variable thread_ended_;
  int threads_ = 0; // under threads_lock_: of on_own_thread(), that still run
};

} // namespace vigil::monitor
