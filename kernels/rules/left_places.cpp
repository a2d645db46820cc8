// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/left_places.h"

#include <algorithm>

namespace vigil::rules {
namespace {

constexpr double taller = 1.3; // times as tall as what it hides
constexpr double just = 1;     // s: who was near so long before hid it
constexpr double moved = 2;    // of its sizes: so far away it is not at its place

track::Box widened(const track::Box &b, double by) {
  return {b.x - by, b.y - by, b.width + 2 * by, b.height + 2 * by};
}

// The object that is seen at the place by itself; null: none.
TrackedObject *seen_at(const track::Box &place, std::uint64_t id, Point at, ObjectTable &table) {
  TrackedObject *best = nullptr;
  double most = LeftPlaces::same;
  for (TrackedObject &o : table.objects()) {
    if (!o.now.here || !o.now.alone || o.box.height > taller * place.height) continue;
    if (o.id == id && distance(o.path.at, at) <= moved * size_of(place)) return &o; // it was pushed a little
    const double share = track::iou(o.box, place);
    if (share < most) continue;
    most = share;
    best = &o;
  }
  return best;
}

struct Around {
  bool covered = false, near = false; // by somebody who is taller
};
Around around(const track::Box &place, const ObjectTable &table) {
  Around a;
  for (const TrackedObject &o : table.objects()) {
    if (!o.now.here || o.box.height < taller * place.height) continue;
    a.covered |= track::intersection(o.box, place) > 0;
    a.near |= track::intersection(widened(o.box, o.box.height / 2), place) > 0;
  }
  return a;
}

} // namespace

void LeftPlaces::add(const Zone &zone, const TrackedObject &o) {
  std::erase_if(places_, [&](const Place &p) { return track::iou(p.box, o.box) >= same; });
  if (places_.size() == most_places) places_.erase(places_.begin());
  Place p;
  p.id = o.id;
  p.owner = o.placed.owner;
  p.zone = zone.name;
  p.type = o.type;
  p.box = o.box;
  p.at = o.path.at;
  p.there = o.times.seen;
  p.empty = -1;
  places_.push_back(std::move(p));
}

// Another track that is the object now takes its part over.
void LeftPlaces::find(Place &p, ObjectTable &table, double seconds) const {
  if (TrackedObject *const o = seen_at(p.box, p.id, p.at, table)) {
    if (o->id != p.id) {
      for (TrackedObject &old : table.objects())
        if (old.id == p.id) old.placed = {};
      p.id = o->id;
      o->placed = {p.owner, true};
    }
    p.there = seconds;
    p.hidden = false;
    p.empty = -1;
    return;
  }
  const Around a = around(p.box, table);
  if (a.near && seconds - p.there <= just) p.hidden = true;
  if (a.covered)
    p.empty = -1;
  else if (p.empty < 0)
    p.empty = seconds;
}

void LeftPlaces::step(std::span<const Zone> zones, ObjectTable &table, double seconds,
                      std::vector<Event> &events) {
  removed_.clear();
  removed_.reserve(places_.size()); // events look into it
  for (Place &p : places_) {
    find(p, table, seconds);
    const TrackedObject *const o = table.find(p.id);
    const bool carried = o && o->now.alone && distance(o->path.at, p.at) > moved * size_of(p.box);
    if (p.empty < 0 || seconds - p.empty < empty_for || !(p.hidden || carried)) continue;
    removed_.push_back(p);
    p.id = 0;
  }
  std::erase_if(places_, [](const Place &p) { return p.id == 0; });
  for (const Place &p : removed_) {
    for (TrackedObject &o : table.objects())
      if (o.id == p.id) o.placed = {};
    const auto zone = std::find_if(zones.begin(), zones.end(),
                                   [&](const Zone &z) { return z.name == p.zone && z.left_object > 0; });
    if (zone == zones.end()) continue;
    Event e;
    e.kind = Kind::object_removed;
    e.rule = &zone->name;
    e.id = p.id;
    e.owner = p.owner;
    e.type = p.type;
    e.at = p.at;
    events.push_back(e);
  }
}

void LeftPlaces::erase_at(const track::Box &box) {
  std::erase_if(places_, [&](const Place &p) { return track::intersection(p.box, box) > 0; });
}

void LeftPlaces::rename(std::span<const Rename> renames) {
  for (Place &p : places_)
    if (const Rename *const r = rules::find(renames, p.id)) p.id = r->to;
}

} // namespace vigil::rules
