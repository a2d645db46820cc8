// SPDX-License-Identifier: LGPL-2.1-or-later
#include "minute_episodes.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace vigil::monitor {
namespace {

struct Episode {
  MovingCells all, newest; // cells; of the last second in which it moved
  std::size_t last = 0;    // that second
  std::size_t grew = 0;    // when it last came to a cell in which it had not been

  int extent() const {
    const MovingCells::Bounds b = all.bounds();
    return b.width * b.height;
  }
  void go_on(const MovingCells &cells, std::size_t second) {
    newest = last == second ? newest |= cells : cells;
    if (cells.without(all).any()) grew = second;
    all |= cells;
    last = second;
  }
};

// Where several meet in a part, each keeps the cells that were its own, and the one that was the last to come
// to new ones takes the rest: who walks before a screen is no part of it.
void meet(std::vector<Episode *> &touched, MovingCells part, std::size_t second) {
  std::ranges::sort(touched, {}, [](const Episode *e) { return std::pair(e->grew, e->extent()); });
  for (Episode *e : touched) {
    const MovingCells own = e == touched.back() ? part : part & e->all;
    part = part.without(own);
    if (own.any()) e->go_on(own, second);
  }
}

} // namespace

MinuteEpisodes::MinuteEpisodes(const MotionMinute &minute) {
  std::vector<Episode> going;
  const auto end = [&](const Episode &e) {
    const MovingCells::Bounds b = e.all.bounds();
    (b.width <= most_columns && b.height <= most_rows ? stayed : went) |= e.all;
  };
  std::vector<MovingCells> before; // where each was, with its neighbours, before this second
  std::vector<Episode *> touched;
  for (std::size_t second = 0; second < minute.size(); second++) {
    MovingCells left = minute[second];
    if (!left.any()) continue;
    for (const Episode &e : going)
      if (second - e.last > pause + 1) end(e);
    std::erase_if(going, [&](const Episode &e) { return second - e.last > pause + 1; });
    before.clear();
    for (const Episode &e : going) before.push_back(e.newest.grown());
    std::vector<Episode> begun;
    while (left.any()) {
      const MovingCells part = left.first_part();
      left = left.without(part);
      touched.clear();
      for (std::size_t i = 0; i < before.size(); i++)
        if ((before[i] & part).any()) touched.push_back(&going[i]);
      if (touched.empty())
        begun.push_back({part, part, second, second});
      else
        meet(touched, part, second);
    }
    going.insert(going.end(), begun.begin(), begun.end());
  }
  for (const Episode &e : going) end(e);
}

} // namespace vigil::monitor
