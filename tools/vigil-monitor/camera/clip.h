// SPDX-License-Identifier: LGPL-2.1-or-later
// The last seconds of a compressed stream in memory, and clips written from them: the stream as it is, in
// MP4.
#pragma once

#include "from_zero.h"
#include "live_mp4.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct ClipResult {
  bool good = false;
  std::string why;  // when it is not
  double start = 0; // seconds since 1970 UTC, of its first frame
  std::int64_t bytes = 0;
};

// Writes PATH.part, and PATH when it is finished. Readable to its last whole second should the program be
// killed.
class ClipWriter {
 public:
  ClipWriter(std::string path, GstCaps *caps);
  ~ClipWriter();
  ClipWriter(const ClipWriter &) = delete;
  ClipWriter &operator=(const ClipWriter &) = delete;

  // Takes over nothing; `time` is the frame's, UTC. False when the disk is so slow or full that the clip has
  // failed.
  bool push(GstBuffer *, double time);
  // Waits for the file to be whole, a few seconds at most; the caller's thread is one that may wait.
  ClipResult finish();
  void discard(); // instead of finish(): leaves no file

 private:
  const std::string path_;
  double start_ = 0;
  GstElement *pipeline_ = nullptr;
  GstAppSrc *source_ = nullptr;
  FromZero times_;
  bool begun_ = false, failed_ = false;
};

class Recorder {
 public:
  // `finish` hands a writer that had its last frame to a thread that may wait.
  using Finish = std::function<void(std::string event, std::shared_ptr<ClipWriter>)>;
  Recorder(double pre_capture, Finish finish) : pre_capture_(pre_capture), finish_(std::move(finish)) {}
  ~Recorder() { reset(); }

  // All times are of the monotonic clock: what is recorded does not depend on the system's clock, which may
  // be set meanwhile.
  // From the streaming thread: the stream's caps, and its frames in decoding order with their capture time.
  void caps(GstCaps *);
  void frame(GstBuffer *, double time);
  void reset(); // the stream broke off: the clip ends here, the memory is of no use

  // From the main thread. Begins with the first key frame at or before `time` - pre_capture, or the oldest
  // there is. `utc`: what makes UTC of a monotonic time, for the clip's own start. False when there is no
  // stream to record, or too many clips are being written.
  bool begin(const std::string &event, const std::string &path, double time, double utc);
  void end_after(const std::string &event, double time); // the clip's last moment
  bool recording() const { return recording_ > 0; }

  // From a viewer's thread: the stream from the last key frame on. Null when there is no stream to show, or
  // too many watch. Who watches says unwatch() before the last owner lets go.
  std::shared_ptr<LiveMp4> watch();
  void unwatch(const std::shared_ptr<LiveMp4> &);
  std::optional<std::string> codec() const;
  std::size_t bytes() const { return bytes_; }

 private:
  struct Frame {
    GstBuffer *buffer;
    double time;
    bool key;
  };
  struct Clip {
    std::string event;
    std::shared_ptr<ClipWriter> writer;
    double until, utc;
  };
  void drop_old();
  void stop_all(); // with the lock held: the stream is another one from here on
  static constexpr std::size_t most_clips = 4, most_viewers = 16;
  static constexpr std::size_t most_bytes = 96 << 20;
  const double pre_capture_;
  const Finish finish_;
  mutable std::mutex lock_;
  GstCaps *caps_ = nullptr;
  std::deque<Frame> ring_;
  std::atomic<std::size_t> bytes_ = 0;
  std::vector<Clip> clips_;
  std::vector<std::shared_ptr<LiveMp4>> viewers_;
  std::atomic<int> recording_ = 0;
};

} // namespace vigil::monitor
