// SPDX-License-Identifier: LGPL-2.1-or-later
// The thread that writes the recordings of all cameras, and what it keeps in addition to their files: rows,
// gaps, how much waits for it. A disk that hangs holds up nobody else: what waits is bounded, and what is too
// much is a gap.
#pragma once

#include "../camera/clip_result.h"
#include "../store/outage.h"
#include "../worker.h"
#include "index.h"
#include "open_segments.h"
#include "places.h"
#include "segment.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>

namespace vigil::monitor {

class SegmentFile;

class RecordingDisk {
 public:
  using Log = std::function<void(const std::string &)>;
  static constexpr std::size_t most_bytes = 512 << 20, most_of_camera = 48 << 20; // that wait

  RecordingDisk(RecordingIndex &, RecordingPlaces, std::string folder, Log);
  RecordingDisk(const RecordingDisk &) = delete;
  RecordingDisk &operator=(const RecordingDisk &) = delete;

  // On any thread.
  bool add(Worker::Task t) { return worker_.add(std::move(t)); }               // false: too much waits
  bool add_needed(Worker::Task t) { return worker_.add_needed(std::move(t)); } // for few things
  std::size_t length() const { return worker_.length(); }
  // Waits until all of this moment is on the disk; false when it is not within the time.
  bool wait(std::chrono::milliseconds patience);
  void tick(); // once a second: what the disk has refused is tried again
  const OpenSegments &open_segments() const { return open_; }
  std::atomic<std::size_t> bytes = 0; // of frames that wait

  // On its own thread.
  // What the recording has of this time, in microseconds since 1970.
  ClipResult clip(const std::string &camera, std::int64_t from, std::int64_t to) const;
  // Adds a preview to a segment that is there.
  void preview(const std::string &segment, std::int64_t at, const std::string &jpeg);
  void begins(const Segment &);
  void grew(const Segment &);             // by its last fragment
  void ended(const Segment &);            // its row is to be stored
  void resume(const std::string &camera); // the gap since the program ran last
  void gap_begins(const std::string &camera, std::int64_t time, const std::string &reason);
  void gap_ends(const std::string &camera, std::int64_t time);
  bool sync_is_due(std::int64_t &last) const; // of a file that was synced last at `last`
  void sync(SegmentFile &);
  void failed(const std::string &what); // of a file; logged once for each outage
  void worked();
  std::string file(const std::string &id) const { return places_.hot(id); } // of one that is written

 private:
  void store(std::function<void()>); // a change of the index, in order; what the disk refuses is tried again
  void drain();
  RecordingIndex &index_;
  const RecordingPlaces places_;
  const std::string folder_;
  const Log log_;
  OpenSegments open_;
  std::deque<std::function<void()>> unstored_;
  std::map<std::string, Gap> gaps_; // that go on
  Outage rows_, files_, previews_;
  double next_try_ = 0, next_sync_ = 0; // monotonic
  Worker worker_;                       // last: it uses all above
};

} // namespace vigil::monitor
