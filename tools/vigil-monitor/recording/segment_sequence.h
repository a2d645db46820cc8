// SPDX-License-Identifier: LGPL-2.1-or-later
// The segments of a camera's recording, one after the other: when another one is due, and which one goes on.
// Times are by the monotonic clock, in microseconds. Used with Recording's lock held.
#pragma once

#include "disk.h"
#include "mp4_writer.h"
#include "segment_writer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vigil::monitor {

class SegmentSequence {
 public:
  SegmentSequence(std::string camera, std::shared_ptr<RecordingDisk>);

  bool is_open() const { return writer_ != nullptr; }
  bool is_full() const; // the one that goes on
  // Whether another one begins with a key frame of this time.
  bool is_due(std::int64_t time, const std::vector<Mp4Track> &) const;
  bool may_begin(std::int64_t now) const { return now >= retry_at_; } // not soon after the disk failed
  // With pictures from `time` on, which is `utc` in UTC. Ends the one before.
  void begin(std::int64_t time, std::int64_t utc, std::vector<Mp4Track>);
  // `why` nothing follows at once; null: another segment does.
  void end(const char *why);
  void renew(const char *why);           // the next key frame begins a segment
  void notice_failure(std::int64_t now); // of the file that is written

  // Of the segment that goes on:
  const std::shared_ptr<SegmentWriter> &writer() const { return writer_; }
  const std::string &id() const { return id_; }
  const std::vector<Mp4Track> &tracks() const { return tracks_; }
  std::int64_t start() const { return start_; }
  void grow(std::size_t bytes) { bytes_ += static_cast<std::int64_t>(bytes); }

 private:
  const std::string camera_;
  const std::shared_ptr<RecordingDisk> disk_;
  std::shared_ptr<SegmentWriter> writer_; // null: no segment goes on
  std::string id_;
  std::vector<Mp4Track> tracks_;
  std::int64_t start_ = 0, bytes_ = 0;
  bool fresh_ = false; // the next key frame begins a segment
  const char *fresh_why_ = nullptr;
  std::int64_t retry_at_ = 0;
};

} // namespace vigil::monitor
