// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stream_end.h"

#include "pace.h"

namespace vigil::monitor {
namespace {

// Why a camera is offline.
constexpr const char *stream_ended = "the stream has ended";
constexpr const char *no_times =
    "the file is no video, but a picture, or pictures without times; to watch a JPEG picture use the source "
    "filesrc location=FILE ! jpegdec ! imagefreeze is-live=true ! video/x-raw,framerate=5/1";

} // namespace

void StreamEnd::begin(GstPad *pad, GstBin *pipeline, std::function<void()> at_end) {
  recording_ = is_file() || is_recording(pad, pipeline);
  if (loops_ && has_end(source_)) loop_ = std::make_unique<FileLoop>(pad, std::move(at_end));
}

const char *StreamEnd::why(std::uint64_t frames) const {
  if (loop_ && !loop_->timed()) return no_times;
  return frames ? stream_ended : "the stream ended before its first picture; does it hold video?";
}

} // namespace vigil::monitor
