// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/left_object_rule.h"

#include <algorithm>
#include <cmath>

namespace vigil::rules {
namespace {

constexpr double left_behind = 2;  // of the owner's heights: so far away it is no longer with the object
constexpr double taller = 1.3;     // times as tall as the object that it takes
constexpr double reach = 2;        // of its heights: it walks on until the ghost is known for one
constexpr double same_place = 3.0; // s: a ghost that is seen again by then is the one that was reported

double gap(double a, double a_length, double b, double b_length) {
  return std::max({0., a - (b + b_length), b - (a + a_length)});
}

// The object that took what stood at a ghost: the nearest one; of equally near ones that with the highest
// number; 0: none.
std::uint64_t taker_of(const track::Box &ghost, const ObjectTable &table) {
  std::uint64_t taker = 0;
  double least = HUGE_VAL;
  for (const TrackedObject &o : table.objects()) {
    if (!o.now.here || o.placed.left || o.box.height < taller * ghost.height) continue;
    const double away = std::hypot(gap(o.box.x, o.box.width, ghost.x, ghost.width),
                                   gap(o.box.y, o.box.height, ghost.y, ghost.height));
    if (away > reach * o.box.height || away > least) continue;
    least = away;
    taker = o.id;
  }
  return taker;
}

Event event_with_owner(Kind kind, const Zone &zone, const TrackedObject &o, std::uint64_t owner) {
  Event e = event_of(kind, zone.name, o);
  e.owner = owner;
  return e;
}

bool is_in(const TrackedObject &o, const Zone &zone) {
  return zone.left_object > 0 && contains(zone.polygon, o.path.at);
}

} // namespace

void LeftObjectRule::step(const Zone &zone, TrackedObject &o, const ObjectTable &table, double seconds,
                          std::vector<Event> &events) {
  if (!is_in(o, zone) || o.placed.left || !o.placed.owner) return;
  if (o.rest.furthest > size_of(o.box) || seconds - o.rest.since < zone.left_object) return;
  const TrackedObject *const owner = table.find(o.placed.owner);
  if (owner && owner->now.here && distance(owner->path.at, o.path.at) < left_behind * owner->box.height)
    return;
  o.placed.left = true;
  places_.add(zone, o);
  Event e = event_with_owner(Kind::object_left, zone, o, o.placed.owner);
  e.seconds = seconds - o.rest.since;
  events.push_back(e);
}

void LeftObjectRule::watch(std::span<const Zone> zones, ObjectTable &table, double seconds,
                           std::vector<Event> &events) {
  places_.step(zones, table, seconds, events);
}

void LeftObjectRule::forget() {
  taken_.clear();
  places_.clear();
}

bool LeftObjectRule::is_known(const Ghost &g, double seconds) {
  const auto known = std::find_if(taken_.begin(), taken_.end(), [&](const RemovedObject &t) {
    return track::intersection(t.box, g.box) > 0;
  });
  if (known == taken_.end()) return false;
  known->last = seconds;
  return true;
}

void LeftObjectRule::step(std::span<const Zone> zones, std::span<const Ghost> ghosts, ObjectTable &table,
                          const Projection &projection, double seconds, std::vector<Event> &events) {
  std::erase_if(taken_, [&](const RemovedObject &t) { return seconds - t.last > same_place; });
  for (const Ghost &g : ghosts) {
    if (is_known(g, seconds)) continue;
    const std::uint64_t taker = taker_of(g.box, table);
    if (!taker) continue;
    TrackedObject thing;
    thing.type = g.type;
    thing.box = g.box;
    thing.path.at = projection.anchor(g.box);
    bool any = false;
    for (const Zone &zone : zones) {
      if (!is_in(thing, zone) || !passes(zone.filter, thing)) continue;
      events.push_back(event_with_owner(Kind::object_removed, zone, thing, taker));
      any = true;
    }
    if (!any) continue;
    taken_.push_back({g.box, seconds});
    places_.erase_at(g.box);
    // A track there is the ghost's own, or that of an object which was put down there and has become
    // background since.
    for (TrackedObject &o : table.objects())
      if (track::intersection(o.box, g.box) > 0 && o.box.height < taller * g.box.height) o.placed = {};
  }
}

} // namespace vigil::rules
