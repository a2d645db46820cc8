// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/back_trace.h"

#include <algorithm>
#include <cmath>

namespace vigil::track {
namespace {

constexpr double between = 0.03;    // s, at least, between frames that are remembered
constexpr double known_after = 0.3; // s after which a new track's velocity is trusted
constexpr double least_speed = 0.5; // sizes a second
constexpr double other_way = 0.5;   // of its velocity: a track that differs by less from it goes along
constexpr double hidden = 0.7;      // of its box must lie in boxes of that time
constexpr double horizon = 2;       // s before it was first seen
constexpr double longest = 1;       // s between two frames
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

// Another track that moves the same way, and was where this one was first seen.
bool goes_along_with_another(const Track &t, const std::vector<Track> &tracks, const Box &first,
                             double since) {
  const double vx = t.motion.x.v, vy = t.motion.y.v, speed = std::hypot(vx, vy);
  for (const Track &other : tracks) {
    if (&other == &t || !other.confirmation.confirmed) continue;
    const Motion &m = other.motion;
    if (std::hypot(m.x.v - vx, m.y.v - vy) < other_way * speed &&
        intersection(moved(m.predicted(), m.x.v, m.y.v, -since), first) > 0)
      return true;
  }
  return false;
}

} // namespace

const BackTrace::Past &BackTrace::back(std::size_t frames) const {
  return past_[(next_ + past_.size() - frames) % past_.size()];
}

void BackTrace::remember(const Frame &frame) {
  if (count_ > 0 && frame.seconds - back(1).seconds < between) return;
  Past &p = past_[next_];
  p.seconds = frame.seconds;
  p.boxes.clear();
  for (const ObservedBox &box : frame.boxes) p.boxes.push_back(box.detection.box);
  next_ = (next_ + 1) % past_.size();
  count_ = std::min(count_ + 1, past_.size());
}

void BackTrace::trace(const Frame &frame, std::vector<Track> &tracks) const {
  if (frame.width <= 0 || frame.height <= 0) return;
  for (Track &t : tracks) {
    if (!t.confirmation.confirmed || t.traced || t.sighting.box < 0 || t.sighting.in_group ||
        frame.seconds - t.object.first_seen < known_after)
      continue;
    t.traced = true;
    trace(frame, tracks, t);
  }
}

void BackTrace::trace(const Frame &frame, const std::vector<Track> &tracks, Track &t) const {
  const double vx = t.motion.x.v, vy = t.motion.y.v, since = frame.seconds - t.object.first_seen;
  if (std::hypot(vx, vy) < least_speed * t.motion.size()) return;
  const Box now = t.motion.predicted();
  if (goes_along_with_another(t, tracks, moved(now, vx, vy, -since), since)) return;
  const auto came_since = [&](double then) {
    t.object.came_x = vx * (then - t.confirmation.since);
    t.object.came_y = vy * (then - t.confirmation.since);
  };
  came_since(t.object.first_seen);
  double newer = t.object.first_seen;
  for (std::size_t i = 1; i <= count_; i++) {
    const Past &p = back(i);
    if (p.seconds >= t.object.first_seen) continue;
    if (newer - p.seconds > longest || t.object.first_seen - p.seconds > horizon) return;
    newer = p.seconds;
    const Box then = moved(now, vx, vy, p.seconds - frame.seconds);
    const Box shown = clipped(then, frame.width, frame.height);
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
