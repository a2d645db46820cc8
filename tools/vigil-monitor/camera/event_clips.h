// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes clips of events. Knows no GStreamer. For the main thread; waits for no disk.
#pragma once

#include <string>

namespace vigil::monitor {

class EventClips {
 public:
  enum class Kind { none, file, part_of_recording };

  EventClips() = default;
  virtual ~EventClips() = default;
  EventClips(const EventClips &) = delete;
  EventClips &operator=(const EventClips &) = delete;

  // Begins a clip at `time`, and as long before it as the configuration says. `utc`: the seconds that make
  // UTC of a monotonic time. None when there is no stream, or too many clips are being written. Where all is
  // recorded no file is made.
  virtual Kind begin_clip(const std::string &event, const std::string &path, double time, double utc) = 0;
  virtual void end_clip(const std::string &event, double time) = 0; // its last moment
};

} // namespace vigil::monitor
