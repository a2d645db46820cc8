// SPDX-License-Identifier: LGPL-2.1-or-later
// An event's clip as a part of the camera's recording: nothing is written twice.
#pragma once

#include "../camera/clip_result.h"
#include "segment.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vigil::monitor {

// What the segments, in the order of their start, have of a time; microseconds since 1970. Never throws for
// what they are.
ClipResult recorded_clip(const std::vector<Segment> &segments, std::int64_t from, std::int64_t to,
                         const std::function<std::string(const Segment &)> &file);

} // namespace vigil::monitor
