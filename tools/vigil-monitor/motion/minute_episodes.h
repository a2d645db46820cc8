// SPDX-License-Identifier: LGPL-2.1-or-later
// What moved within a minute, in two kinds: what stayed in its place, as a flag does, and what went on
// through the picture, as people and cars do. An episode is motion that hangs together in place and time; a
// second or two without motion does not end it. It stayed where all of its cells fit into a small rectangle.
#pragma once

#include "motion_minute.h"

namespace vigil::monitor {

struct MinuteEpisodes {
  static constexpr int most_columns = 10, most_rows = 6; // of what stayed: a third of the picture each way
  static constexpr int pause = 2;                        // seconds without motion that do not end an episode

  explicit MinuteEpisodes(const MotionMinute &);
  MovingCells stayed, went; // may overlap
};

} // namespace vigil::monitor
