// SPDX-License-Identifier: LGPL-2.1-or-later
// The continuous recording of one camera: cuts its compressed stream, which is not encoded again, into
// fragments and segments, and gives them to the disk's thread. Waits for nothing.
//
// A segment begins with a key frame, ends at the first one after a minute, and holds one kind of stream.
// Where sound comes too late for its fragment, the fragment waits for it for a while.
#pragma once

#include "disk.h"
#include "disk_share.h"
#include "missing_key_frames.h"
#include "picture_queue.h"
#include "preview_keys.h"
#include "segment_sequence.h"
#include "sound_queue.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <gst/gst.h>
#include <memory>
#include <mutex>
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
  std::size_t waiting() const { return share_.waiting(); }

 private:
  // With the lock held:
  void advance(bool all);
  void hand(const PictureQueue::Fragment &);
  bool begin_segment();
  void drop(std::size_t pictures);
  CutFragment cut(const PictureQueue::Fragment &);
  std::vector<Mp4Track> tracks() const;
  void forget_stream();
  void keyless(std::int64_t time);
  std::int64_t now() const { return micros(clock_.monotonic()); }
  std::int64_t utc(std::int64_t monotonic) const { return monotonic + micros(clock_.to_utc()); }
  void gap(std::int64_t time, const char *why);

  const std::string camera_;
  const std::shared_ptr<RecordingDisk> disk_;
  const Clock clock_;
  const Warning warning_;
  const Previews previews_;
  mutable std::mutex lock_;
  // With the lock held:
  bool on_ = false;
  PictureQueue pictures_;
  SoundQueue sounds_;
  SegmentSequence segments_;
  DiskShare share_;
  MissingKeyFrames missing_keys_;
  PreviewKeys preview_keys_;
  std::atomic<std::uint64_t> lost_ = 0;
};

} // namespace vigil::monitor
