// SPDX-License-Identifier: LGPL-2.1-or-later
#include "minute_episodes.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace vigil::monitor {
namespace {

struct Episode {
  MovingCells all, newest; // cells; of the last second in which it moved
  std::size_t last = 0;    // that second
};

// An episode of before goes on in each part that touches it, and joins these; or later, within the pause.
void go_on(const Episode &before, std::vector<Episode> &now) {
  const MovingCells near = before.newest.grown();
  const auto touched = std::partition(now.begin(), now.end(),
                                      [&](const Episode &e) { return !(e.newest & near).any(); });
  if (touched == now.end()) {
    now.push_back(before);
    return;
  }
  touched->all |= before.all;
  for (auto e = touched + 1; e != now.end(); ++e) {
    touched->all |= e->all;
    touched->newest |= e->newest;
  }
  now.erase(touched + 1, now.end());
}

} // namespace

MinuteEpisodes::MinuteEpisodes(const MotionMinute &minute) {
  std::vector<Episode> going;
  const auto end = [&](const Episode &e) {
    const MovingCells::Bounds b = e.all.bounds();
    (b.width <= most_columns && b.height <= most_rows ? stayed : went) |= e.all;
  };
  for (std::size_t second = 0; second < minute.size(); second++) {
    MovingCells left = minute[second];
    if (!left.any()) continue;
    std::erase_if(going, [&](const Episode &e) {
      const bool over = second - e.last > pause + 1;
      if (over) end(e);
      return over;
    });
    std::vector<Episode> now;
    while (left.any()) {
      Episode e;
      e.all = e.newest = left.first_part();
      e.last = second;
      left = left.without(e.newest);
      now.push_back(e);
    }
    for (const Episode &before : going) go_on(before, now);
    going = std::move(now);
  }
  for (const Episode &e : going) end(e);
}

} // namespace vigil::monitor
