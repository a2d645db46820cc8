// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/line_rule.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vigil::rules {
namespace {

constexpr double over = 0.5;   // of the narrower box lies above, below or in the other one
constexpr double near = 0.4;   // of the larger box's size lies between the two, at most
constexpr double clear = 0.05; // of the lower box's height, at most, lies in the other one ...
constexpr double inside = 0.8; // ... or at least so much: one lies in the other
constexpr double along = 0.35; // of the faster one's velocity: two parts differ by less

// An upright object falls into parts above each other: something hides its middle, or its clothes look like
// the background there. Two people who walk together are side by side, or one hides a part of the other one:
// then their boxes overlap by that.
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

void LineRule::set(const Line &line) {
  if (line.points != line_.points) {
    sides_.clear();
    crossings_.clear();
    unnamed_.clear();
  }
  line_ = line;
}

bool LineRule::is_part_of_crossed(const TrackedObject &o, Direction d, const ObjectTable &table,
                                  double seconds) const {
  for (const Crossing &c : crossings_) {
    if (c.direction != d || c.id == o.id) continue;
    const TrackedObject *const other = table.find(c.id);
    if (!other || other->type != o.type) continue;
    const Velocity &v = other->velocity;
    if (!go_along({o.velocity.x, o.velocity.y}, {v.x, v.y}, along)) continue;
    track::Box now = other->box;
    now.x += v.x * (seconds - other->times.seen);
    now.y += v.y * (seconds - other->times.seen);
    if (are_parts(o.box, now)) return true;
  }
  return false;
}

bool LineRule::has_crossed(Side &s, const TrackedObject &o, double seconds, const Settings &settings) const {
  const int before = s.sum;
  const Path &p = o.path;
  for (std::size_t c = 0; c + 1 < line_.points.size(); c++)
    s.sum += crossing(line_.points[c], line_.points[c + 1], p.from, p.begin) +
             crossing(line_.points[c], line_.points[c + 1], p.before, p.at);
  if (distance_to_line(line_.points, p.at) < settings.hysteresis) {
    s.away_since = -1;
    return false;
  }
  if (s.away_since < 0 || s.sum != before) s.away_since = seconds;
  return s.sum != 0 && seconds - s.away_since >= settings.settle_seconds();
}

void LineRule::cross(const TrackedObject &o, Direction d, const ObjectTable &table, double seconds,
                     std::vector<Event> &events) {
  constexpr std::size_t most_unnamed = 256;
  if (!line_.filter.labels.empty() && o.label.empty() && unnamed_.size() < most_unnamed)
    unnamed_.push_back({o.id, d, seconds});
  if (!passes(line_.filter, o)) return;
  const bool counted = is_part_of_crossed(o, d, table, seconds);
  crossings_.push_back({o.id, d, seconds});
  if (counted) return;
  (d == Direction::forward ? total_.forward : total_.backward)++;
  Event e = event_of(Kind::line_cross, line_.name, o);
  e.direction = d;
  e.forward = total_.forward;
  e.backward = total_.backward;
  events.push_back(e);
  if (line_.wrong_way != d) return;
  e.kind = Kind::wrong_way;
  events.push_back(e);
}

// Those of unnamed_ whose object has a label by now.
void LineRule::cross_named(const ObjectTable &table, double seconds, std::vector<Event> &events) {
  std::erase_if(unnamed_, [&](const Crossing &c) {
    const TrackedObject *const o = table.find(c.id);
    if (!o) return true;
    if (o->label.empty()) return false;
    cross(*o, c.direction, table, seconds, events);
    return true;
  });
}

void LineRule::step(const ObjectTable &table, double seconds, const Settings &settings,
                    std::vector<Event> &events) {
  std::erase_if(crossings_,
                [&](const Crossing &c) { return seconds - c.seconds > settings.hand_over_seconds(); });
  cross_named(table, seconds, events);
  for (const TrackedObject &o : table.objects()) {
    if (!o.now.here || !o.now.found) continue;
    Side &s = obtain(sides_, o.id);
    if (!has_crossed(s, o, seconds, settings)) continue;
    const Direction d = s.sum > 0 ? Direction::forward : Direction::backward;
    s.sum = 0;
    cross(o, d, table, seconds, events);
  }
}

void LineRule::rename(std::span<const Rename> renames) {
  rules::rename(sides_, renames);
  for (auto *const crossings : {&crossings_, &unnamed_})
    for (Crossing &c : *crossings)
      if (const Rename *r = find(renames, c.id)) c.id = r->to;
}

void LineRule::forget(const std::function<bool(std::uint64_t)> &gone) {
  std::erase_if(sides_, [&](const Side &s) { return gone(s.id); });
}

} // namespace vigil::rules
