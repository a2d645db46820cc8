// SPDX-License-Identifier: LGPL-2.1-or-later
#include "timeline.h"

#include <algorithm>

namespace vigil::monitor {

RecordingTimeline make_timeline(const std::vector<Segment> &segments, const std::vector<Gap> &gaps,
                                std::int64_t from, std::int64_t to) {
  RecordingTimeline out;
  for (const Segment &s : segments) {
    const Stretch now{std::max(s.start, from), std::min(s.end(), to)};
    if (now.end <= now.start) continue;
    if (!out.recorded.empty() && now.start - out.recorded.back().end <= a_second)
      out.recorded.back().end = std::max(out.recorded.back().end, now.end);
    else
      out.recorded.push_back(now);
  }
  for (const Gap &g : gaps) {
    const std::int64_t start = std::max(g.start, from), end = std::min(g.end.value_or(to), to);
    if (end > start) out.gaps.push_back({g.camera, g.reason, start, end});
  }
  std::vector<Gap> deleted;
  for (std::size_t i = 1; i < out.recorded.size(); i++) {
    std::int64_t at = out.recorded[i - 1].end;
    const std::int64_t end = out.recorded[i].start;
    const auto hole = [&](std::int64_t until) {
      if (until - at > a_second) deleted.push_back({segments.front().camera, gap_reason::deleted, at, until});
    };
    for (const Gap &g : out.gaps) {
      if (*g.end <= at || g.start >= end) continue;
      hole(g.start);
      at = std::max(at, *g.end);
    }
    hole(end);
  }
  out.gaps.insert(out.gaps.end(), deleted.begin(), deleted.end());
  std::sort(out.gaps.begin(), out.gaps.end(), [](const Gap &a, const Gap &b) { return a.start < b.start; });
  return out;
}

} // namespace vigil::monitor
