// SPDX-License-Identifier: LGPL-2.1-or-later
// The last seconds of a compressed stream in memory, and clips written from them.
#pragma once

#include "access_units.h"
#include "recorder_news.h"
#include "running_clips.h"
#include "stream_memory.h"
#include "stream_viewer.h"
#include "stream_viewers.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace vigil::monitor {

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
  bool recording() const { return clips_.any(); }

  // From a viewer's thread: the stream from the last key frame on. Null when there is no stream to show, or
  // too many watch. Who watches says unwatch() before the last owner lets go.
  struct Stream {
    GstCaps *video, *sound_sent, *sound_stored; // of sound null: there is none, or none has come yet
    GstBuffer *latest_sound = nullptr;          // as it is sent, and when; null: none has come lately
    double latest_sound_time = 0;
  };
  using Make = std::function<std::shared_ptr<StreamViewer>(const Stream &)>; // without a lock
  std::shared_ptr<StreamViewer> watch(const Make &);
  bool takes_viewers() const; // watch() would give one now
  void unwatch(const std::shared_ptr<StreamViewer> &);
  std::optional<std::string> codec() const;
  std::optional<std::string> sound_codec() const; // as the camera sends it: opus, pcma, pcmu, aac
  std::size_t bytes() const { return memory_.bytes(); }
  std::uint64_t lost() const { return clips_.lost(); } // frames of clips, because the disk was too slow
  std::uint64_t overruns() const { return memory_.overruns(); } // groups that the memory could not hold

  // Of memory for what was before an event.
  static constexpr std::size_t most_bytes = StreamMemory::most_bytes;

 private:
  bool takes_viewer_locked() const { return viewers_.has_room() && !memory_.empty(); }

  mutable std::mutex lock_;
  // With the lock held:
  PendingNews news_;
  GstCaps *caps_ = nullptr; // null: there is no stream
  AccessUnits units_;
  StreamMemory memory_;
  RunningClips clips_;
  StreamViewers viewers_;
};

} // namespace vigil::monitor
