// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of the picture that move all day and in which nobody passes: a flag, a screen, a clock that is burnt
// into the picture. Found in the history of motion; nothing is counted for each frame. Knows no database.
//
// A cell is restless in an hour if something moved there in its place (minute_episodes.h) in at least
// `least_minutes`. A part is made of cells that were restless in `least_hours` of the last 24 hours. They
// were so in one of the last `recent_hours`, counted from the newest hour in which anything moved: a camera
// may have been turned. Motion went through them in at most half as many minutes. A part that is larger than
// what stays in its place is none.
// Chosen on drawn scenes, and shown on others: docs/measurements/log/2026-11/restless.md
#pragma once

#include "minute_episodes.h"

#include <array>
#include <cstdint>
#include <vector>

namespace vigil::monitor {

struct RestlessPart {
  Rect box; // from 0 to 1
  int hours = 0;
};

class RestlessParts {
 public:
  static constexpr int window = 24; // hours
  static constexpr int least_hours = 20, least_minutes = 3, recent_hours = 3;
  static constexpr int stays_for_one_that_went = 2; // minutes

  // Of the 24 hours before `end`, in minutes since 1970 UTC.
  explicit RestlessParts(std::int64_t end) : end_(end) {}
  void look(std::int64_t minute, const MotionMinute &); // in any order
  // Without those of which at least half lies in `known`, or next to it.
  std::vector<RestlessPart> parts(const MovingCells &known) const;

 private:
  using Count = std::array<std::uint16_t, MovingCells::columns * MovingCells::rows>; // minutes
  MovingCells restless() const;
  int hours_of(std::size_t cell) const;

  const std::int64_t end_;
  std::array<Count, window> stayed_{}; // by the hour, the newest first
  Count went_{};
  int newest_ = window; // hour in which anything moved
};

} // namespace vigil::monitor
