// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/predecessor_search.h"

#include <algorithm>

namespace vigil::rules {
namespace {

constexpr double same_way = 0.6; // of the faster one's velocity

} // namespace

void PredecessorSearch::prepare(const std::vector<TrackedObject> &objects) {
  missing_.clear();
  for (std::size_t i = 0; i < objects.size(); i++)
    if (!objects[i].now.here || objects[i].now.lost) missing_.push_back(i);
  std::sort(missing_.begin(), missing_.end(), [&](std::size_t a, std::size_t b) {
    const double x = objects[a].path.place.x, y = objects[b].path.place.x;
    return x != y ? x < y : a < b;
  });
}

TrackedObject *PredecessorSearch::find(std::vector<TrackedObject> &objects, const TrackedObject &fresh,
                                       const track::Object &o, double seconds,
                                       const Settings &settings) const {
  TrackedObject *best = nullptr;
  const double reach = size_of(fresh.box);
  const Point at = fresh.path.at;
  double least = reach;
  const auto from = std::partition_point(missing_.begin(), missing_.end(), [&](std::size_t i) {
    return objects[i].path.place.x < at.x - reach;
  });
  for (auto i = from; i != missing_.end() && objects[*i].path.place.x <= at.x + reach; i++) {
    TrackedObject &old = objects[*i];
    if (old.id == 0 || old.type != fresh.type) continue;
    const double away = distance(old.path.place, at);
    if (seconds - old.times.last > settings.hand_over_seconds() || away > least) continue;
    if (old.now.here && !go_along({o.vx, o.vy}, {old.velocity.x, old.velocity.y}, same_way)) continue;
    if (best && away == least && old.id < best->id) continue;
    least = away;
    best = &old;
  }
  return best;
}

} // namespace vigil::rules
