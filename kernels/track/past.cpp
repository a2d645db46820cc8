// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a track was before it was found.
#include "kernels/track/track.h"

#include <algorithm>
#include <cmath>

namespace vigil::track {
namespace {

constexpr double between = 0.03;    // s, at least, between frames that are remembered
constexpr double known_after = 0.3; // s after which a new track's velocity is trusted
constexpr double least_speed = 0.5; // sizes a second
constexpr double other_way = 0.5;   // of its velocity: who differs by less from it goes along with it
constexpr double hidden = 0.7;      // of its box must lie in boxes of that time
constexpr double horizon = 2;       // s before it was first seen
constexpr double longest = 1;       // s between two frames: who was where in a longer gap is not known
constexpr double outside = 0.1;     // of it is in the picture: it came from there

Box clipped(const Box &b, double width, double height) {
  const double x = std::clamp(b.x, 0., width), y = std::clamp(b.y, 0., height);
  return {x, y, std::clamp(b.x + b.width, 0., width) - x, std::clamp(b.y + b.height, 0., height) - y};
}
Box moved(Box b, double vx, double vy, double seconds) {
  b.x += vx * seconds;
  b.y += vy * seconds;
  return b;
}

} // namespace

void Tracker::remember(double seconds) {
  if (past_count_ > 0 && seconds - past_[(past_next_ + past_.size() - 1) % past_.size()].seconds < between)
    return;
  Past &p = past_[past_next_];
  p.seconds = seconds;
  p.boxes.clear();
  for (const Input &in : boxes_) p.boxes.push_back(in.d.box);
  past_next_ = (past_next_ + 1) % past_.size();
  past_count_ = std::min(past_count_ + 1, past_.size());
}

void Tracker::trace(double seconds) {
  if (width_ <= 0 || height_ <= 0) return;
  for (Track &t : tracks_) {
    if (!t.confirmed || t.traced || t.box < 0 || t.in_group || seconds - t.o.first_seen < known_after)
      continue;
    t.traced = true;
    trace(t, seconds);
  }
}

void Tracker::trace(Track &t, double seconds) {
  const double vx = t.x.v, vy = t.y.v, speed = std::hypot(vx, vy), since = seconds - t.o.first_seen;
  if (speed < least_speed * t.size()) return;
  const Box now = t.predicted(), first = moved(now, vx, vy, -since);
  for (const Track &other : tracks_) {
    if (&other == &t || !other.confirmed) continue;
    if (std::hypot(other.x.v - vx, other.y.v - vy) < other_way * speed &&
        intersection(moved(other.predicted(), other.x.v, other.y.v, -since), first) > 0)
      return; // a part of it, or somebody with it
  }
  // Since it is told of, it came this far; from here on the places of before are added.
  const auto came_since = [&](double then) {
    t.o.came_x = vx * (then - t.told_since);
    t.o.came_y = vy * (then - t.told_since);
  };
  came_since(t.o.first_seen);
  double newer = t.o.first_seen;
  for (std::size_t i = 1; i <= past_count_; i++) {
    const Past &p = past_[(past_next_ + past_.size() - i) % past_.size()];
    if (p.seconds >= t.o.first_seen) continue;
    if (newer - p.seconds > longest || t.o.first_seen - p.seconds > horizon) return;
    newer = p.seconds;
    const Box then = moved(now, vx, vy, p.seconds - seconds);
    const Box shown = clipped(then, width_, height_);
    if (area(shown) > outside * area(then)) {
      double in_boxes = 0;
      for (const Box &b : p.boxes) in_boxes += intersection(shown, b);
      if (in_boxes < hidden * area(shown)) return;
    }
    came_since(p.seconds);
    if (area(shown) <= outside * area(then)) return;
  }
}

} // namespace vigil::track
