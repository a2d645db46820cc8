// SPDX-License-Identifier: LGPL-2.1-or-later
// The continuous recording of one camera: cuts its compressed stream, which is not encoded again, into
// fragments and segments, and gives them to the disk's thread. Waits for nothing.
//
// A segment begins with a key frame, ends at the first one after a minute, and holds one kind of stream.
// Where sound comes too late for its fragment, the fragment waits for it for a while.
#pragma once

#include "../camera/access_units.h"
#include "disk.h"
#include "media_times.h"
#include "mp4_writer.h"
#include "preview_maker.h"
#include "segment_writer.h"

#include <atomic>
#include <deque>
#include <functional>
#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

class Recording {
 public:
  struct Clock { // seconds
    std::function<double()> monotonic;
    std::function<double()> to_utc; // what makes UTC of a monotonic time
  };
  using Warning = std::function<void(const std::string &)>; // on any thread

  // What becomes of key frames, from which previews are made; called on the streaming thread.
  using Previews = std::function<void(const KeyPicture &)>;

  Recording(std::string camera, std::shared_ptr<RecordingDisk>, Clock, Warning, Previews = {});
  ~Recording();

  // From the main thread.
  void begin();                    // the camera is to be recorded
  void broke_off(const char *why); // the stream ends; another one may follow
  void stop(const char *why);      // and nothing is recorded any more
  void tick();                     // once a second
  void clock_set();                // the next key frame begins a segment by the new clock

  // From streaming threads: caps before frames, frames in the order of decoding with their capture time by
  // the monotonic clock.
  void video_caps(const GstCaps *);
  void video(GstBuffer *, double captured);
  void sound_caps(const GstCaps *);
  void sound(GstBuffer *, double captured);

  // Whether all that has come until this monotonic time, in microseconds, was given to the disk.
  bool has_handed(std::int64_t time) const;

  std::uint64_t lost() const { return lost_; } // frames, because the disk was too slow
  std::size_t waiting() const { return *waiting_; }

 private:
  struct Picture {
    BufferPtr buffer;
    std::int64_t decoded, shown;
    bool key;
  };
  struct Sound {
    BufferPtr buffer;
    std::int64_t time, duration;
  };
  // With the lock held:
  void advance(bool all);
  bool waits_for_sound(std::int64_t end) const;
  void hand(std::size_t pictures, std::int64_t end);
  bool begin_segment();
  void end_segment(const char *why);
  void drop(std::size_t pictures);
  CutFragment cut(std::size_t pictures, std::int64_t end);
  std::vector<Mp4Track> tracks() const;
  void forget_stream();
  void keyless(std::int64_t now);
  std::int64_t now() const { return micros(clock_.monotonic()); }
  std::int64_t utc(std::int64_t monotonic) const { return monotonic + micros(clock_.to_utc()); }
  void gap(std::int64_t time, const char *why);
  void preview(const Picture &);

  const std::string camera_;
  const std::shared_ptr<RecordingDisk> disk_;
  const Clock clock_;
  const Warning warning_;
  const Previews previews_;
  mutable std::mutex lock_;
  bool on_ = false;
  std::optional<Mp4Track> video_, sound_;
  AccessUnits units_;
  MediaTimes video_times_, sound_times_;
  std::deque<Picture> pictures_;
  std::vector<KeyPicture> keys_; // of previews to make
  std::int64_t last_preview_ = 0;
  std::deque<Sound> sounds_;
  std::int64_t sound_end_ = 0, arrived_ = 0, step_ = 0;
  std::shared_ptr<SegmentWriter> segment_;
  std::string segment_id_;
  std::vector<Mp4Track> segment_tracks_;
  std::int64_t segment_start_ = 0, segment_bytes_ = 0; // by the monotonic clock
  bool fresh_ = false;                                 // the next key frame begins a segment
  const char *fresh_why_ = nullptr;
  std::int64_t retry_at_ = 0;
  bool behind_ = false; // until half of what may wait is written
  std::optional<std::int64_t> keyless_since_;
  bool keyless_said_ = false;
  const std::shared_ptr<std::atomic<std::size_t>> waiting_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::atomic<std::uint64_t> lost_ = 0;
};

} // namespace vigil::monitor
