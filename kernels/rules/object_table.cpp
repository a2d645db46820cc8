// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/object_table.h"

#include <algorithm>
#include <cmath>

namespace vigil::rules {
namespace {

constexpr double still = 0.5; // of its size: an object that moves by less rests

bool usable(const track::Box &b) {
  return std::isfinite(b.x) && std::isfinite(b.y) && std::isfinite(b.width) && std::isfinite(b.height);
}

// The track of an object in this frame.
void update(TrackedObject &o, const Subject &s, double seconds, const Projection &projection) {
  o.now.here = true;
  o.times.last = seconds;
  o.type = s.type;
  if (!s.label.empty()) o.label = s.label;
  o.now.found = s.object.state != track::State::predicted && usable(s.object.box);
  if (!o.now.found) return;
  o.now.alone = s.object.state == track::State::tracked;
  Path &p = o.path;
  if (!o.now.fresh) p.before = p.at;
  o.box = s.object.box;
  p.at = projection.anchor(o.box);
  o.velocity = {s.object.vx, s.object.vy, projection.speed(p.at, s.object.vx, s.object.vy)};
  o.times.seen = seconds;
  p.from = p.begin;
  if (!p.came && (s.object.came_x != 0 || s.object.came_y != 0)) {
    p.came = true;
    p.from = {p.begin.x + s.object.came_x, p.begin.y + s.object.came_y};
  }
  o.rest.furthest = std::max(o.rest.furthest, distance(p.at, p.begin));
  if (distance(p.at, o.rest.at) > still * size_of(o.box)) {
    o.rest.at = p.at;
    o.rest.since = seconds;
  }
}

} // namespace

const TrackedObject *ObjectTable::find(std::uint64_t id) const {
  return rules::find(objects_, id);
}

bool ObjectTable::take_over(TrackedObject &fresh, const track::Object &o, double seconds,
                            const Settings &settings) {
  TrackedObject *const old = predecessors_.find(objects_, fresh, o, seconds, settings);
  if (!old) return false;
  renames_.push_back({old->id, fresh.id});
  TrackedObject continued = *old;
  continued.id = fresh.id;
  continued.box = fresh.box;
  continued.path.before = old->path.at;
  continued.path.came = true; // its path goes on
  continued.path.at = continued.path.place = fresh.path.at;
  fresh = continued;
  old->id = 0;
  return true;
}

void ObjectTable::add(const Subject &s, double seconds, const Projection &projection,
                      const Settings &settings) {
  TrackedObject o;
  o.id = s.object.id;
  o.type = s.type;
  o.box = s.object.box;
  const Point at = projection.anchor(o.box);
  o.path = {at, at, at, at, at, false};
  o.times.first = seconds;
  o.rest = {at, seconds, 0};
  if (!take_over(o, s.object, seconds, settings)) o.placed.owner = owners_.owner_of(o.box, objects_);
  o.now.fresh = true;
  objects_.push_back(o);
}

// Before new ones are added, so that what is missing is missing then.
void ObjectTable::find_known(std::span<const Subject> subjects, const Projection &projection) {
  new_.clear();
  for (const Subject &s : subjects)
    if (TrackedObject *o = rules::find(objects_, s.object.id)) {
      o->now.here = true;
      o->now.lost = s.object.state == track::State::predicted && !s.object.stationary;
      if (usable(s.object.box)) o->path.place = projection.anchor(s.object.box);
    } else if (usable(s.object.box) && s.object.state != track::State::predicted)
      new_.push_back(&s);
}

void ObjectTable::add_new(double seconds, const Projection &projection, const Settings &settings) {
  std::stable_sort(new_.begin(), new_.end(),
                   [](const Subject *a, const Subject *b) { return a->object.id < b->object.id; });
  predecessors_.prepare(objects_);
  owners_.prepare(objects_, seconds);
  for (std::size_t i = 0; i < new_.size(); i++) // of an id that is there twice the first
    if (i == 0 || new_[i]->object.id != new_[i - 1]->object.id) add(*new_[i], seconds, projection, settings);
  std::sort(renames_.begin(), renames_.end(), [](const Rename &a, const Rename &b) { return a.id < b.id; });
  std::erase_if(objects_, [](const TrackedObject &o) { return o.id == 0; });
  std::sort(objects_.begin(), objects_.end(),
            [](const TrackedObject &a, const TrackedObject &b) { return a.id < b.id; });
}

std::span<const Rename> ObjectTable::meet(std::span<const Subject> subjects, double seconds,
                                          const Projection &projection, const Settings &settings) {
  renames_.clear();
  for (TrackedObject &o : objects_) o.now = {};
  find_known(subjects, projection);
  if (!new_.empty()) add_new(seconds, projection, settings);
  for (const Subject &s : subjects) // one that has no place or, 0, no id is not in the table
    if (TrackedObject *const o = rules::find(objects_, s.object.id)) update(*o, s, seconds, projection);
  return renames_;
}

void ObjectTable::end_all() {
  for (TrackedObject &o : objects_) o.now.here = false;
}

bool ObjectTable::is_gone(const TrackedObject &o, double seconds, const Settings &settings) {
  return !o.now.here && seconds - o.times.last > settings.hand_over_seconds();
}

void ObjectTable::erase_gone(double seconds, const Settings &settings) {
  std::erase_if(objects_, [&](const TrackedObject &o) { return is_gone(o, seconds, settings); });
}

} // namespace vigil::rules
