// SPDX-License-Identifier: LGPL-2.1-or-later
// One segment on its way to the disk: fragments of GStreamer's buffers to its file, its row and the gap
// behind it. Used by the thread of RecordingDisk alone, except failed().
#pragma once

#include "../camera/access_units.h"
#include "disk.h"
#include "mp4_writer.h"
#include "segment_file.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace vigil::monitor {

// Frames that follow each other. Times are microseconds after the segment's start.
struct CutFragment {
  struct Sample {
    gst::BufferPtr buffer;
    std::int64_t time = 0, shown_later = 0;
    bool key = true;
  };
  std::vector<Sample> pictures, sound;
  std::int64_t end = 0, sound_end = 0; // of the last picture, and of the last sound
  std::size_t bytes = 0;
};

class SegmentWriter {
 public:
  // `tracks`: pictures, then sound where there is any.
  SegmentWriter(std::shared_ptr<RecordingDisk>, Segment, const std::vector<Mp4Track> &tracks);

  void append(const CutFragment &);
  // `why` nothing follows at once; null: another segment does.
  void finish(const char *why);
  bool failed() const { return failed_; } // on any thread: it takes no more

 private:
  void write(const CutFragment &);
  void fail_with(const std::string &what, const char *reason);
  const std::shared_ptr<RecordingDisk> disk_;
  Segment segment_;
  const std::string header_;
  std::unique_ptr<SegmentFile> file_;
  std::uint32_t sequence_ = 0;
  std::int64_t synced_ = 0;
  std::atomic<bool> failed_ = false;
  bool finished_ = false;
};

} // namespace vigil::monitor
