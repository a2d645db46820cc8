// SPDX-License-Identifier: LGPL-2.1-or-later
// The end of a camera's stream: a file that is played in a loop begins again, and one that is played once is
// over.
#pragma once

#include "file_loop.h"
#include "pace.h"
#include "source.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <gst/gst.h>
#include <memory>
#include <string>
#include <utility>

namespace vigil::monitor {

class StreamEnd {
 public:
  // Why a camera is offline that was played once.
  static constexpr const char *played_once =
      "the recording has ended and is played once, since loop is false; "
      "switch the camera off and on to play it again";

  StreamEnd(std::string source, bool loops) : source_(std::move(source)), loops_(loops) {}

  // The source's video comes through this pad. On the source's thread. `at_end`: as FileLoop's.
  void begin(GstPad *, GstBin *pipeline, std::function<void()> at_end);
  bool is_file() const { return source_kind(source_) == SourceKind::file; }
  bool has_length() const { return recording_; } // and is played at its own speed

  // Whether the end of the stream is the end of what was asked for. `frames`: those that went through.
  bool is_over(std::uint64_t frames) const { return recording_ && !loops_ && frames > 0; }
  const char *why(std::uint64_t frames) const;
  bool rewind() { return loop_->rewind(); } // of a loop; false: it cannot

 private:
  static constexpr const char *stream_ended = "the stream has ended";
  static constexpr const char *no_times =
      "the file is no video, but a picture, or pictures without times; to watch a JPEG picture use the "
      "source filesrc location=FILE ! jpegdec ! imagefreeze is-live=true ! video/x-raw,framerate=5/1";

  const std::string source_;
  const bool loops_;
  std::atomic<bool> recording_ = false;
  std::unique_ptr<FileLoop> loop_; // of what has an end; the threads' that link and rewind it
};

inline void StreamEnd::begin(GstPad *pad, GstBin *pipeline, std::function<void()> at_end) {
  recording_ = is_file() || is_recording(pad, pipeline);
  if (loops_ && has_end(source_)) loop_ = std::make_unique<FileLoop>(pad, std::move(at_end));
}

inline const char *StreamEnd::why(std::uint64_t frames) const {
  if (loop_ && !loop_->timed()) return no_times;
  return frames ? stream_ended : "the stream ended before its first picture; does it hold video?";
}

} // namespace vigil::monitor
