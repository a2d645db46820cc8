// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recorded_clip.h"

#include "../counted.h"
#include "common/error.h"
#include "range.h"

#include <algorithm>

namespace vigil::monitor {

ClipResult recorded_clip(const std::vector<Segment> &segments, std::int64_t from, std::int64_t to,
                         const std::function<std::string(const Segment &)> &file) {
  ClipResult out;
  try {
    const auto range = RecordingRange::make(segments, from, to, file);
    if (!range) {
      out.why = "nothing was recorded then";
      return out;
    }
    out.good = true;
    out.start = seconds(range->start());
    out.end = seconds(std::min(to, range->end()));
    out.bytes = static_cast<std::int64_t>(range->size());
    constexpr std::int64_t much = 2 * a_second;
    if (range->end() < to - much)
      out.why =
          text("the recording ends ", counted(seconds(to - range->end()), "second"), " before it should");
  } catch (const Error &e) {
    out.why = e.what();
  }
  return out;
}

} // namespace vigil::monitor
