// SPDX-License-Identifier: LGPL-2.1-or-later
// What belonged to the background and was taken away.
#include "kernels/rules/watch.h"

#include <algorithm>
#include <cmath>

namespace vigil::rules {
namespace {

constexpr double taller = 1.3;     // times as tall as what he takes
constexpr double reach = 2;        // of his heights: he walks on until the ghost is known for one
constexpr double same_place = 3.0; // seconds for which a ghost that is seen again is the one that was told

double gap(double a, double a_length, double b, double b_length) {
  return std::max({0., a - (b + b_length), b - (a + a_length)});
}

} // namespace

// The nearest one; of equally near ones that with the highest number; 0: nobody.
std::uint64_t Watch::taker_of(const track::Box &ghost) const {
  std::uint64_t taker = 0;
  double least = HUGE_VAL;
  for (const Known &k : known_) {
    if (!k.here || k.left || k.box.height < taller * ghost.height) continue;
    const double away = std::hypot(gap(k.box.x, k.box.width, ghost.x, ghost.width),
                                   gap(k.box.y, k.box.height, ghost.y, ghost.height));
    if (away > reach * k.box.height || away > least) continue;
    least = away;
    taker = k.id;
  }
  return taker;
}

void Watch::step_taken(std::span<const Ghost> ghosts, double seconds) {
  std::erase_if(taken_, [&](const Taken &t) { return seconds - t.last > same_place; });
  for (const Ghost &g : ghosts) {
    const auto told = std::find_if(taken_.begin(), taken_.end(),
                                   [&](const Taken &t) { return track::intersection(t.box, g.box) > 0; });
    if (told != taken_.end()) {
      told->last = seconds;
      continue;
    }
    const std::uint64_t taker = taker_of(g.box);
    if (!taker) continue;
    Known thing;
    thing.type = g.type;
    thing.box = g.box;
    thing.at = anchor(g.box);
    bool any = false;
    for (const Zone &z : rules_.zones) {
      if (z.left_object <= 0 || !contains(z.polygon, thing.at) || !matters(z.filter, thing)) continue;
      Event e = event(Kind::object_removed, z.name, thing);
      e.owner = taker;
      events_.push_back(e);
      any = true;
    }
    if (!any) continue;
    taken_.push_back({g.box, seconds});
    // A track there is the ghost's own, or of what was put down there and has become background since.
    for (Known &k : known_)
      if (track::intersection(k.box, g.box) > 0 && k.box.height < taller * g.box.height) {
        k.left = false;
        k.owner = 0;
      }
  }
}

} // namespace vigil::rules
