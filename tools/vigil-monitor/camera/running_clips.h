// SPDX-License-Identifier: LGPL-2.1-or-later
// The clips of a stream that go on: files of their own, and parts of the recording. Used with Recorder's lock
// held, except any() and lost().
#pragma once

#include "clip_result.h"
#include "clip_writer.h"
#include "recorder_news.h"
#include "stream_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <gst/gst.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

class RunningClips {
 public:
  RunningClips(std::shared_ptr<ClipThreads> threads, const StreamMemory &memory, PendingNews &news)
      : threads_(std::move(threads)), memory_(memory), news_(news) {}

  bool has_room() const; // for one more file
  // A file that begins with what is in memory of the time before `time`, or with the next key frame. `caps`:
  // of the stream. False when there is no thread for it.
  bool begin(const std::string &event, const std::string &path, double time, double utc, GstCaps *caps);
  void begin_part(const std::string &event, double from, double utc);
  void end_after(const std::string &event, double time);
  void feed(GstBuffer *, double time, bool key, GstCaps *);
  void stop_all(); // the stream is another one from here on
  std::vector<std::string> events() const;

  // From any thread:
  bool any() const { return running_ > 0; }
  std::uint64_t lost() const { return lost_; } // frames, because the disk was too slow

 private:
  struct Clip {
    std::string event, path;
    double until, utc;
    std::shared_ptr<ClipWriter> writer; // null: it waits for a key frame, or is a part of the recording
    std::optional<ClipSpan> part = std::nullopt;
  };
  bool feed(Clip &, GstBuffer *, double time, bool key, GstCaps *); // false when the clip has ended
  bool open(Clip &, GstCaps *);
  void end_part(Clip &, double at);

  static constexpr std::size_t most_files = 4;
  const std::shared_ptr<ClipThreads> threads_;
  const StreamMemory &memory_;
  PendingNews &news_;
  std::vector<Clip> clips_;
  std::atomic<int> running_ = 0;
  std::atomic<std::uint64_t> lost_ = 0;
};

} // namespace vigil::monitor
