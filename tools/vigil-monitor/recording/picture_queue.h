// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures of a camera's stream that are in no fragment yet, in the order of decoding, with times that go
// on. Used with Recording's lock held.
#pragma once

#include "../camera/access_units.h"
#include "media_times.h"
#include "mp4_writer.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <gst/gst.h>
#include <optional>

namespace vigil::monitor {

// In microseconds; none where the stream says none.
inline std::optional<std::int64_t> in_micros(GstClockTime t) {
  if (!GST_CLOCK_TIME_IS_VALID(t)) return std::nullopt;
  return static_cast<std::int64_t>(t / GST_USECOND);
}

class PictureQueue {
 public:
  struct Picture {
    gst::BufferPtr buffer;
    std::int64_t decoded, shown;
    bool key;
  };
  struct Fragment {
    std::size_t pictures;
    std::int64_t end; // of the last picture
    bool whole;       // nothing that comes later belongs to it
  };

  const std::optional<Mp4Track> &track() const { return track_; } // none: no stream has begun
  void begin(const GstCaps *, const Mp4Track &);
  void end() { track_.reset(); }
  // `captured`: in microseconds, as `now`. False when no picture is whole with this buffer.
  bool take(GstBuffer *part, double captured, std::int64_t now);
  void clear() { pictures_.clear(); }
  void forget(); // the stream, and its times

  bool empty() const { return pictures_.empty(); }
  const Picture &first() const { return pictures_.front(); }
  std::int64_t newest() const { return pictures_.back().decoded; }
  std::int64_t arrived() const { return arrived_; }
  Fragment next_fragment() const; // not of an empty queue
  Picture take_first();
  void drop(std::size_t pictures);

 private:
  std::optional<Mp4Track> track_;
  AccessUnits units_;
  MediaTimes times_;
  std::deque<Picture> pictures_;
  std::int64_t arrived_ = 0; // the last picture, by the monotonic clock
  std::int64_t step_ = 0;    // between the last two
};

} // namespace vigil::monitor
