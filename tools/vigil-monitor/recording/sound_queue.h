// SPDX-License-Identifier: LGPL-2.1-or-later
// The sound of a camera's stream that is in no fragment yet. Used with Recording's lock held.
#pragma once

#include "../camera/access_units.h"
#include "media_times.h"
#include "mp4_writer.h"
#include "segment_writer.h"

#include <cstdint>
#include <deque>
#include <gst/gst.h>
#include <optional>

namespace vigil::monitor {

class SoundQueue {
 public:
  const std::optional<Mp4Track> &track() const { return track_; } // none: there is no sound
  void begin(const std::optional<Mp4Track> &);
  void end() { track_.reset(); }
  void take(GstBuffer *, double captured, std::int64_t now);
  void forget(); // the sound, and its times

  // Whether there is sound for a segment that begins at this time.
  bool comes_at(std::int64_t time) const;
  // Whether a fragment that ends there waits for its sound; `newest`: the last picture that has come.
  bool is_awaited(std::int64_t end, std::int64_t newest) const;
  void drop_before(std::int64_t start); // of a segment
  // Moves what was before `end` to the fragment, of a segment that began at `start`.
  void cut(CutFragment &, std::int64_t start, std::int64_t end);

 private:
  struct Sound {
    gst::BufferPtr buffer;
    std::int64_t time, duration;
  };
  std::optional<Mp4Track> track_;
  MediaTimes times_;
  std::deque<Sound> sounds_;
  std::int64_t end_ = 0; // of the last one
};

} // namespace vigil::monitor
