// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/by_id.h"
#include "kernels/rules/watch.h"

#include <algorithm>
#include <cmath>

namespace vigil::rules {
namespace {

constexpr double over = 0.5;   // of the narrower box lies above, below or in the other one
constexpr double near = 0.4;   // of the larger box's size lies between the two, at most
constexpr double clear = 0.05; // of the lower box's height, at most, lies beside the other one ...
constexpr double inside = 0.8; // ... or at least so much: one lies in the other
constexpr double along = 0.35; // of the faster one's velocity: two parts differ by less

// An upright object falls into parts above each other: something hides its middle, or its clothes are as the
// background there. Two who walk together are beside each other, or one hides a part of the other one: then
// their boxes overlap by that.
bool are_parts(const track::Box &a, const track::Box &b) {
  const auto overlap = [](double p, double p_length, double q, double q_length) {
    return std::min(p + p_length, q + q_length) - std::max(p, q);
  };
  const double across = overlap(a.x, a.width, b.x, b.width), down = overlap(a.y, a.height, b.y, b.height);
  if (across < over * std::min(a.width, b.width)) return false;
  const double shorter = std::min(a.height, b.height);
  if (down > clear * shorter && down < inside * shorter) return false;
  return -down < near * std::sqrt(std::max(track::area(a), track::area(b)));
}

} // namespace

// Of those who crossed the line lately, the same way, one is what this is a part of, or the other way round.
bool Watch::is_part_of_crossed(const LineState &l, const Known &k, Direction d, double seconds) {
  for (const Crossing &c : l.crossings) {
    if (c.direction != d || c.id == k.id) continue;
    const Known *const other = find(known_, c.id);
    if (!other || other->type != k.type) continue;
    if (!go_along({k.vx, k.vy}, {other->vx, other->vy}, along)) continue;
    track::Box now = other->box;
    now.x += other->vx * (seconds - other->seen);
    now.y += other->vy * (seconds - other->seen);
    if (are_parts(k.box, now)) return true;
  }
  return false;
}

void Watch::step_line(std::size_t i, double seconds) {
  LineState &l = lines_[i];
  const Line &rule = rules_.lines[i];
  std::erase_if(l.crossings,
                [&](const Crossing &c) { return seconds - c.seconds > settings_.hand_over / 1000.; });
  for (const Known &k : known_) {
    if (!k.here || !k.found) continue;
    Path *const p = &obtain(l.paths, k.id);
    const int before = p->sum;
    for (std::size_t c = 0; c + 1 < rule.points.size(); c++)
      p->sum += crossing(rule.points[c], rule.points[c + 1], k.from, k.begin) +
                crossing(rule.points[c], rule.points[c + 1], k.before, k.at);
    if (distance_to_line(rule.points, k.at) < settings_.hysteresis) {
      p->away_since = -1;
      continue;
    }
    if (p->away_since < 0 || p->sum != before) p->away_since = seconds;
    if (p->sum == 0 || seconds - p->away_since < settings_.settle_time / 1000.) continue;
    const Direction d = p->sum > 0 ? Direction::forward : Direction::backward;
    p->sum = 0;
    if (!matters(rule.filter, k)) continue;
    const bool counted = is_part_of_crossed(l, k, d, seconds);
    l.crossings.push_back({k.id, d, seconds});
    if (counted) continue;
    (d == Direction::forward ? l.total.forward : l.total.backward)++;
    Event e = event(Kind::line_cross, l.name, k);
    e.direction = d;
    e.forward = l.total.forward;
    e.backward = l.total.backward;
    events_.push_back(e);
    if (rule.wrong_way != d) continue;
    e.kind = Kind::wrong_way;
    events_.push_back(e);
  }
}

} // namespace vigil::rules
