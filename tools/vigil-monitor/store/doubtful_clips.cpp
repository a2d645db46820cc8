// SPDX-License-Identifier: LGPL-2.1-or-later
#include "doubtful_clips.h"

#include "../recording/recorded_clip.h"

#include <utility>

namespace vigil::monitor {

std::set<std::string> DoubtfulClips::take() {
  return index_is_whole_ ? std::exchange(events_in_doubt_, {}) : std::set<std::string>();
}

void DoubtfulClips::settle(const std::string &id) {
  auto e = events_.get(id);
  if (!e || !e->of_recording) return;
  if (!e->end_time) { // its end is on its way
    events_in_doubt_.insert(id);
    return;
  }
  const bool known = e->has_clip && e->clip_bytes > 0 && e->clip_start && e->clip_end;
  if (known && !recordings_.segments(e->camera, micros(*e->clip_start), micros(*e->clip_end), false).empty())
    return;
  look_for(*e);
  records_.put(*e);
  events_.put(*e);
}

void DoubtfulClips::look_for(Event &e) const {
  constexpr double after = 5; // what is configured may have been more
  const std::int64_t from = micros(e.clip_start.value_or(e.start_time)),
                     to = micros(e.clip_end.value_or(*e.end_time + after));
  const ClipResult part = recorded_clip(recordings_.segments(e.camera, from, to, true), from, to,
                                        [this](const Segment &s) { return places_.file(s); });
  e.has_clip = e.of_recording = part.good;
  e.clip_bytes = part.bytes;
  e.clip_end = part.end;
  if (part.good) e.clip_start = part.start;
}

} // namespace vigil::monitor
