// SPDX-License-Identifier: LGPL-2.1-or-later
#include "restless_parts.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace vigil::monitor {
namespace {

template <class Use>
void each_cell(const MovingCells &cells, Use use) {
  for (std::size_t y = 0; y < cells.row.size(); y++)
    for (std::uint32_t left = cells.row[y]; left; left &= left - 1)
      use(y * MovingCells::columns + static_cast<std::size_t>(std::countr_zero(left)));
}

} // namespace

void RestlessParts::look(std::int64_t minute, const MotionMinute &moved) {
  constexpr std::int64_t an_hour = 60;
  if (minute >= end_ || minute < end_ - window * an_hour) return;
  const auto hour = static_cast<int>((end_ - 1 - minute) / an_hour);
  const MinuteEpisodes episodes(moved);
  each_cell(episodes.stayed, [&](std::size_t i) { stayed_[static_cast<std::size_t>(hour)][i]++; });
  each_cell(episodes.went, [&](std::size_t i) { went_[i]++; });
  newest_ = std::min(newest_, hour);
}

int RestlessParts::hours_of(std::size_t cell) const {
  return static_cast<int>(
      std::ranges::count_if(stayed_, [&](const Count &c) { return c[cell] >= least_minutes; }));
}

MovingCells RestlessParts::restless() const {
  MovingCells out;
  for (std::size_t i = 0; i < went_.size(); i++) {
    int minutes = 0;
    bool recent = false;
    for (int hour = 0; hour < window; hour++) {
      const int n = stayed_[static_cast<std::size_t>(hour)][i];
      minutes += n;
      recent |= n >= least_minutes && hour < newest_ + recent_hours;
    }
    if (recent && went_[i] * stays_for_one_that_went <= minutes && hours_of(i) >= least_hours)
      out.row[i / MovingCells::columns] |= std::uint32_t{1} << i % MovingCells::columns;
  }
  return out;
}

std::vector<RestlessPart> RestlessParts::parts(const MovingCells &known) const {
  constexpr double columns = MovingCells::columns, rows = MovingCells::rows;
  const MovingCells settled = known.grown();
  std::vector<RestlessPart> out;
  for (MovingCells left = restless(); left.any();) {
    const MovingCells part = left.first_part();
    left = left.without(part);
    const MovingCells::Bounds b = part.bounds();
    if (b.width > MinuteEpisodes::most_columns || b.height > MinuteEpisodes::most_rows) continue;
    if (2 * (part & settled).count() >= part.count()) continue;
    RestlessPart found{{b.x / columns, b.y / rows, b.width / columns, b.height / rows}};
    each_cell(part, [&](std::size_t i) { found.hours = std::max(found.hours, hours_of(i)); });
    out.push_back(found);
  }
  return out;
}

} // namespace vigil::monitor
