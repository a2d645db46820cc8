// SPDX-License-Identifier: LGPL-2.1-or-later
// What was recorded of a camera within a time, up to now.
#pragma once

#include "open_segments.h"

#include <algorithm>
#include <string>
#include <vector>

namespace vigil::monitor {

// The rows of an index (RecordingIndex, or EventReader for viewers), and in the place of those that are still
// open what they hold by now. In the order of their start; times are microseconds.
template <class Rows>
std::vector<Segment> recorded_segments(const Rows &rows, const OpenSegments &being_written,
                                       const std::string &camera, std::int64_t from, std::int64_t to,
                                       bool with_fragments) {
  std::vector<Segment> open = being_written.of(camera, from, to);
  std::vector<Segment> out = rows.segments(camera, from, to, with_fragments);
  std::erase_if(out, [&](const Segment &s) {
    return s.open || std::any_of(open.begin(), open.end(), [&](const Segment &o) { return o.id == s.id; });
  });
  out.insert(out.end(), open.begin(), open.end());
  std::sort(out.begin(), out.end(), [](const Segment &a, const Segment &b) { return a.start < b.start; });
  return out;
}

} // namespace vigil::monitor
