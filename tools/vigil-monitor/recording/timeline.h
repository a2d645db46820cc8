// SPDX-License-Identifier: LGPL-2.1-or-later
// What was recorded of a camera within a time, and why the rest was not: a pure function of the index.
#pragma once

#include "segment.h"

#include <vector>

namespace vigil::monitor {

struct Stretch {
  std::int64_t start = 0, end = 0;
  bool operator==(const Stretch &) const = default;
};
struct RecordingTimeline {
  std::vector<Stretch> recorded; // without what lies between segments that follow each other
  std::vector<Gap> gaps;         // each with an end, within the time
};

// `segments` by their start. Between two segments nothing is missing without a reason: what no gap explains
// was deleted by retention.
RecordingTimeline make_timeline(const std::vector<Segment> &segments, const std::vector<Gap> &gaps,
                                std::int64_t from, std::int64_t to);

} // namespace vigil::monitor
