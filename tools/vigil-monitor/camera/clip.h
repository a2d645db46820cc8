// SPDX-License-Identifier: LGPL-2.1-or-later
// The last seconds of a compressed stream in memory, and clips written from them.
#pragma once

#include "access_units.h"
#include "clip_result.h"
#include "clip_writer.h"
#include "live_mp4.h"
#include "stream_viewer.h"
#include "tools/base/gst_ptr.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

// On any thread.
struct RecorderNews {
  std::function<void(const std::string &event, const ClipResult &)> finished; // once for each that began
  // The stream goes on as another one, of another size, say, which their files cannot hold.
  std::function<void(const std::vector<std::string> &events)> broke_off;
  std::function<void(const std::string &text)> warning;
  // In the place of finished: this part of the recording is to be the event's clip.
  std::function<void(const std::string &event, const ClipSpan &)> over = {};
};

class Recorder {
 public:
  Recorder(double pre_capture, std::shared_ptr<ClipThreads>, RecorderNews);
  ~Recorder() { reset(); }

  // All times are of the monotonic clock: what is recorded does not depend on the system's clock, which may
  // be set meanwhile.
  // From the streaming thread: the stream's caps, and its frames in decoding order with their capture time.
  void caps(GstCaps *);
  void frame(GstBuffer *, double time);
  void sound(SoundForm, GstCaps *, GstBuffer *, double time); // for viewers alone
  void reset(); // the stream broke off: the clip ends here, the memory is of no use

  // From the main thread; waits for no disk. Begins with the first key frame at or before `time` -
  // pre_capture, or the oldest there is, or the next one. `utc`: what makes UTC of a monotonic time, for the
  // clip's own start. False when there is no stream to record, or too many clips are being written.
  bool begin(const std::string &event, const std::string &path, double time, double utc);
  // The same for a clip that is a part of the recording: nothing is kept or written for it. `from`: its first
  // moment, if this stream goes back so far.
  bool begin_part(const std::string &event, double from, double utc);
  void end_after(const std::string &event, double time); // the clip's last moment
  bool recording() const { return recording_ > 0; }

  // From a viewer's thread: the stream from the last key frame on. Null when there is no stream to show, or
  // too many watch. Who watches says unwatch() before the last owner lets go.
  struct Stream {
    GstCaps *video, *sound_sent, *sound_stored; // of sound null: there is none, or none has come yet
    GstBuffer *latest_sound = nullptr;          // as it is sent, and when; null: none has come lately
    double latest_sound_time = 0;
  };
  using Make = std::function<std::shared_ptr<StreamViewer>(const Stream &)>; // without a lock
  std::shared_ptr<StreamViewer> watch(const Make &);
  void unwatch(const std::shared_ptr<StreamViewer> &);
  std::optional<std::string> codec() const;
  std::optional<std::string> sound_codec() const; // as the camera sends it: opus, pcma, pcmu, aac
  std::size_t bytes() const { return bytes_; }
  std::uint64_t lost() const { return lost_; }         // frames of clips, because the disk was too slow
  std::uint64_t overruns() const { return overruns_; } // groups that the memory could not hold

  // Of memory for what was before an event.
  static constexpr std::size_t most_bytes = 96 << 20;

 private:
  struct Frame {
    BufferPtr buffer;
    double time;
    bool key;
  };
  struct Clip {
    std::string event, path;
    double until, utc;
    std::shared_ptr<ClipWriter> writer; // null: it waits for a key frame, or is a part of the recording
    std::optional<ClipSpan> part = std::nullopt;
  };
  // With the lock held:
  void keep(GstBuffer *, double time, bool key);
  void drop_old();
  bool feed(Clip &, GstBuffer *, double time, bool key); // false when the clip has ended
  bool open(Clip &);
  std::size_t files() const; // clips with files of their own
  void stop_all();           // the stream is another one from here on
  void end_part(Clip &, double at);
  void unwritten(Clip &, const char *why);
  void forget_stream();
  // Announces the finished clips; releases the lock for that.
  void announce(std::unique_lock<std::mutex> &);

  static constexpr std::size_t most_clips = 4, most_viewers = 16;
  const double pre_capture_;
  const std::shared_ptr<ClipThreads> threads_;
  const RecorderNews news_;
  mutable std::mutex lock_;
  GstCaps *caps_ = nullptr;
  AccessUnits units_;
  std::deque<Frame> ring_;
  std::optional<double> since_; // this stream's first key frame
  double latest_ = 0;           // its last frame
  std::atomic<std::size_t> bytes_ = 0;
  std::vector<Clip> clips_;
  std::vector<std::shared_ptr<StreamViewer>> viewers_;
  std::array<tools::CapsPtr, 2> sound_; // by SoundForm
  BufferPtr latest_sound_;              // as it is sent
  double latest_sound_time_ = 0;
  std::atomic<int> recording_ = 0;
  std::atomic<std::uint64_t> lost_ = 0, overruns_ = 0;
  struct Unwritten {
    std::string event, why;
  };
  std::vector<Unwritten> unwritten_; // clips that ended before their first frame; not announced yet
  std::vector<std::pair<std::string, ClipSpan>> over_; // parts of the recording that have ended; likewise
  std::optional<std::string> warning_;
};

} // namespace vigil::monitor
