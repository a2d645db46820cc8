// SPDX-License-Identifier: LGPL-2.1-or-later
// An event as a row of the table events.
#pragma once

#include "event.h"
#include "sqlite.h"

namespace vigil::monitor {

// The columns that read_event() reads, in their order.
inline constexpr const char *event_columns =
    "id, camera, label, start, end, zones, x, y, width, height, score, has_clip, clip_start, clip_bytes,"
    " has_snapshot, retained, vector IS NOT NULL, continues, of_recording, clip_end";
inline constexpr int event_column_count = 20;

Event read_event(const Statement &);

} // namespace vigil::monitor
