// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's compressed stream as packets of RTP, made once for all viewers of WebRTC:
//
//   pictures ! payloader ! packets        sound ! payloader ! packets
//
// Nothing is encoded again. The packets since the last key frame are kept, so that a new viewer sees a
// picture at once.
#pragma once

#include "../camera/stream_viewer.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vigil::monitor {

struct RtpBufferRelease {
  void operator()(GstBuffer *b) const { gst_buffer_unref(b); }
};
using RtpBuffer = std::unique_ptr<GstBuffer, RtpBufferRelease>;

// A picture, or a piece of sound.
struct RtpUnit {
  std::vector<RtpBuffer> packets; // each with a header of 12 bytes
  std::size_t bytes = 0;
  double time = 0; // of capture, by the monotonic clock
  bool key = false;
  std::uint64_t number = 0; // of pictures, from 1 on
};
using RtpUnitPtr = std::shared_ptr<const RtpUnit>;

class RtpViewer {
 public:
  RtpViewer() = default;
  virtual ~RtpViewer() = default;
  RtpViewer(const RtpViewer &) = delete;
  RtpViewer &operator=(const RtpViewer &) = delete;
  // On any thread, without a lock of the stream; they must not wait. A picture that does not follow the one
  // before it comes again where it is needed.
  virtual void picture(const RtpUnitPtr &) = 0;
  virtual void sound(const RtpUnitPtr &) = 0;
};

class RtpStream final : public StreamViewer {
 public:
  // `video`: H.264 or H.265 of whole pictures with lengths (avc, hvc1). `sound`: null where there is none, or
  // none that WebRTC has. Throws Error::no_device when GStreamer has no payloader.
  RtpStream(GstCaps *video, GstCaps *sound);
  ~RtpStream() override;

  const std::string &codec() const { return codec_; }             // H264, H265
  const std::string &profile() const { return profile_; }         // of H.264, hexadecimal: 4d
  const std::string &sound_codec() const { return sound_codec_; } // OPUS, PCMU, PCMA; empty: none
  bool ended() const { return ended_; }
  // Whether pictures are shown in another order than they come, which browsers do not play by WebRTC.
  bool reordered() const { return reordered_; }

  void push(GstBuffer *, double time) override;
  void push_sound(SoundForm, GstCaps *, GstBuffer *, double time) override;
  void end() override { ended_ = true; }

  // Gives what was kept, then all that comes; pictures in order.
  void join(const std::shared_ptr<RtpViewer> &);
  void leave(const RtpViewer *);

  static constexpr std::size_t most_kept = 16 << 20; // bytes
  // The codec of sound in SDP; empty: WebRTC has none for it.
  static std::string codec_of_sound(const GstCaps *);

 private:
  struct Chain {
    ~Chain();
    void begin(const char *payloader, GstCaps *, RtpStream &, bool pictures);
    void push(GstBuffer *, double shown) const;
    RtpStream *stream = nullptr;
    bool pictures = false;
    GstElement *pipeline = nullptr;
    GstAppSrc *source = nullptr;
    std::shared_ptr<RtpUnit> unit; // that is being put together; the chain's thread
  };
  static GstFlowReturn packet(GstAppSink *sink, gpointer chain);
  void take(Chain &, GstBuffer *);
  void give(RtpUnitPtr, bool picture);
  std::vector<std::shared_ptr<RtpViewer>> viewers() const;

  std::string codec_, profile_, sound_codec_;
  std::atomic<bool> ended_ = false, reordered_ = false;
  GstClockTime last_pts_ = GST_CLOCK_TIME_NONE; // of the thread that pushes
  int steps_back_ = 0;                          // of the times of pictures; as above
  mutable std::mutex lock_;
  std::vector<std::shared_ptr<RtpViewer>> viewers_;
  std::vector<RtpUnitPtr> kept_; // from the last key frame on
  std::size_t bytes_ = 0;
  std::uint64_t number_ = 0;
  Chain video_, sound_; // last: their threads use the others
};

} // namespace vigil::monitor
