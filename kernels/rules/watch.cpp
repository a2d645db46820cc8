// SPDX-License-Identifier: LGPL-2.1-or-later
// Who is there, who is the same, who is gone; zones.cpp and lines.cpp say what that means.
#include "kernels/rules/watch.h"
#include "kernels/rules/by_id.h"

#include <algorithm>
#include <cmath>

namespace vigil::rules {
namespace {

constexpr double still = 0.5;        // of its size: what moves less stands
constexpr double known_before = 0.5; // seconds that an owner was there before what he leaves
constexpr double same_way =
    0.6; // of the faster one's velocity: who takes the place of a track that is not found differs by less

double size(const track::Box &b) {
  return std::sqrt(std::max(b.width, 1.) * std::max(b.height, 1.));
}
bool usable(const track::Box &b) {
  return std::isfinite(b.x) && std::isfinite(b.y) && std::isfinite(b.width) && std::isfinite(b.height);
}
double far(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

// What is known by name goes on with the new rules.
template <class State, class Rule>
std::vector<State> carry(std::vector<State> &old, const std::vector<Rule> &rules) {
  std::vector<State> states;
  for (const Rule &r : rules) {
    const auto found = std::find_if(old.begin(), old.end(), [&](const State &s) { return s.name == r.name; });
    if (found == old.end()) {
      states.emplace_back();
      states.back().name = r.name;
    } else
      states.push_back(std::move(*found));
  }
  return states;
}

} // namespace

const char *name_of(Kind k) {
  switch (k) {
  case Kind::zone_enter:
    return "zone-enter";
  case Kind::zone_leave:
    return "zone-leave";
  case Kind::zone_count:
    return "zone-count";
  case Kind::loitering:
    return "loitering";
  case Kind::crowd_begin:
  case Kind::crowd_end:
    return "crowd";
  case Kind::line_cross:
    return "line-cross";
  case Kind::wrong_way:
    return "wrong-way";
  case Kind::object_left:
    return "object-left";
  case Kind::object_removed:
    return "object-removed";
  case Kind::speed:
    return "speed";
  }
  return "unknown";
}

void Watch::set(Rules pixels) {
  events_.clear();
  zones_ = carry(zones_, pixels.zones);
  std::vector<LineState> lines = carry(lines_, pixels.lines);
  for (std::size_t i = 0; i < lines.size(); i++) { // a path is one over the line that it went over
    const auto old = std::find_if(rules_.lines.begin(), rules_.lines.end(),
                                  [&](const Line &l) { return l.name == pixels.lines[i].name; });
    if (old != rules_.lines.end() && old->points == pixels.lines[i].points) continue;
    lines[i].paths.clear();
    lines[i].crossings.clear();
  }
  lines_ = std::move(lines);
  has_ground_ = pixels.ground && ground_.from(pixels.ground->picture, pixels.ground->metres);
  rules_ = std::move(pixels);
}

void Watch::reset_totals() {
  for (ZoneState &z : zones_) z.count.entered = z.count.left = 0;
  for (LineState &l : lines_) l.total = {};
}

Point Watch::anchor(const track::Box &b) const {
  return {b.x + b.width / 2, b.y + (rules_.anchor == Anchor::bottom ? b.height : b.height / 2)};
}

bool Watch::matters(const Filter &f, const Known &k) const {
  if (k.box.height < f.min_height || (f.max_height > 0 && k.box.height > f.max_height)) return false;
  return f.classes.empty() || std::find(f.classes.begin(), f.classes.end(), k.type) != f.classes.end();
}

Event Watch::event(Kind kind, const std::string &rule, const Known &k) const {
  Event e;
  e.kind = kind;
  e.rule = &rule;
  e.id = k.id;
  e.type = k.type;
  e.at = k.at;
  e.speed = k.speed;
  return e;
}

double Watch::speed_of(const Known &k, const track::Object &o) const {
  if (!has_ground_) return std::hypot(o.vx, o.vy);
  constexpr double dt = 0.05; // s, short against any curve of the ground's perspective
  const double v = far(ground_.ground(k.at), ground_.ground({k.at.x + o.vx * dt, k.at.y + o.vy * dt})) / dt;
  return std::isfinite(v) ? v : 0;
}

// A track that begins where another ended lately is that one under another number, and so is one that begins
// where another, which moves the same way, should be and is not found.
bool Watch::hand_over(Known &k, const track::Object &o, double seconds) {
  Known *best = nullptr;
  double least = size(k.box);
  const auto from = std::partition_point(missing_.begin(), missing_.end(),
                                         [&](std::size_t i) { return known_[i].place.x < k.at.x - least; });
  for (auto i = from; i != missing_.end() && known_[*i].place.x <= k.at.x + size(k.box); i++) {
    Known &old = known_[*i];
    if (old.id == 0 || old.type != k.type) continue;
    if (seconds - old.last > settings_.hand_over / 1000. || far(old.place, k.at) > least) continue;
    if (old.here && !go_along({o.vx, o.vy}, {old.vx, old.vy}, same_way)) continue;
    if (best && far(old.place, k.at) == least && old.id < best->id) continue;
    least = far(old.place, k.at);
    best = &old;
  }
  if (!best) return false;
  renames_.push_back({best->id, k.id});
  const std::uint64_t id = k.id;
  const track::Box box = k.box;
  const Point at = k.at;
  k = *best;
  k.id = id;
  k.box = box;
  k.before = best->at;
  k.came = true; // its way goes on
  k.at = at;
  k.place = at;
  best->id = 0;
  return true;
}

// The one with the highest number of the taller ones at whose box it begins; 0: nobody.
std::uint64_t Watch::owner_of(const Known &k) const {
  std::uint64_t owner = 0;
  const double right = k.box.x + k.box.width;
  const auto from = std::partition_point(owners_.begin(), owners_.end(),
                                         [&](const Reach &r) { return r.left <= k.box.x - widest_; });
  for (auto r = from; r != owners_.end() && r->left < right; r++) {
    const Known &o = known_[r->index];
    if (o.box.height < 1.3 * k.box.height || o.id < owner) continue;
    const double reach = o.box.height / 2;
    const track::Box around{o.box.x - reach, o.box.y - reach, o.box.width + 2 * reach,
                            o.box.height + 2 * reach};
    if (track::intersection(around, k.box) > 0) owner = o.id;
  }
  return owner;
}

// Who is missing or not found, and who may have put something down, from left to right, so that new ones look
// only at those near them.
void Watch::sort_for_new(double seconds) {
  missing_.clear();
  owners_.clear();
  widest_ = 0;
  for (std::size_t i = 0; i < known_.size(); i++) {
    const Known &k = known_[i];
    if (!k.here || k.lost) {
      missing_.push_back(i);
      if (!k.here) continue;
    }
    if (seconds - k.first < known_before) continue;
    owners_.push_back({k.box.x - k.box.height / 2, i});
    widest_ = std::max(widest_, k.box.width + k.box.height);
  }
  std::sort(missing_.begin(), missing_.end(), [&](std::size_t a, std::size_t b) {
    return known_[a].place.x != known_[b].place.x ? known_[a].place.x < known_[b].place.x : a < b;
  });
  std::sort(owners_.begin(), owners_.end(), [](const Reach &a, const Reach &b) {
    return a.left != b.left ? a.left < b.left : a.index < b.index;
  });
}

void Watch::meet_new(const Subject &s, double seconds) {
  Known k;
  k.id = s.object.id;
  k.type = s.type;
  k.box = s.object.box;
  k.at = k.before = k.begin = k.from = k.still_at = k.place = anchor(k.box);
  k.first = k.still_since = seconds;
  if (!hand_over(k, s.object, seconds)) k.owner = owner_of(k);
  k.fresh = true;
  known_.push_back(k);
}

void Watch::meet(std::span<const Subject> subjects, double seconds) {
  for (Known &k : known_) k.here = k.fresh = k.found = k.lost = false;
  // First those known, so that what is missing is missing when new ones come.
  new_.clear();
  for (const Subject &s : subjects)
    if (Known *k = find(known_, s.object.id)) {
      k->here = true;
      k->lost = s.object.state == track::State::predicted && !s.object.stationary;
      if (usable(s.object.box)) k->place = anchor(s.object.box);
    } else if (usable(s.object.box) && s.object.state != track::State::predicted)
      new_.push_back(&s);
  if (!new_.empty()) {
    std::stable_sort(new_.begin(), new_.end(),
                     [](const Subject *a, const Subject *b) { return a->object.id < b->object.id; });
    sort_for_new(seconds);
    renames_.clear();
    for (std::size_t i = 0; i < new_.size(); i++) // of an id that is there twice the first
      if (i == 0 || new_[i]->object.id != new_[i - 1]->object.id) meet_new(*new_[i], seconds);
    if (!renames_.empty()) {
      std::sort(renames_.begin(), renames_.end(),
                [](const Rename &a, const Rename &b) { return a.id < b.id; });
      for (ZoneState &z : zones_) rename(z.stays, renames_);
      for (LineState &l : lines_) {
        rename(l.paths, renames_);
        for (Crossing &c : l.crossings)
          if (const Rename *r = find(renames_, c.id)) c.id = r->to;
      }
    }
    std::erase_if(known_, [](const Known &k) { return k.id == 0; });
    std::sort(known_.begin(), known_.end(), [](const Known &a, const Known &b) { return a.id < b.id; });
  }
  for (const Subject &s : subjects) {
    Known *const found = find(known_, s.object.id);
    if (!found) continue; // it has no place or, 0, no id
    Known &k = *found;
    k.here = true;
    k.last = seconds;
    k.type = s.type;
    k.found = s.object.state != track::State::predicted && usable(s.object.box);
    if (!k.found) continue;
    if (!k.fresh) k.before = k.at;
    k.box = s.object.box;
    k.at = anchor(k.box);
    k.speed = speed_of(k, s.object);
    k.vx = s.object.vx;
    k.vy = s.object.vy;
    k.seen = seconds;
    k.from = k.begin;
    if (const track::Object &o = s.object; !k.came && (o.came_x != 0 || o.came_y != 0)) {
      k.came = true;
      k.from = {k.begin.x + o.came_x, k.begin.y + o.came_y};
    }
    k.furthest = std::max(k.furthest, far(k.at, k.begin));
    if (far(k.at, k.still_at) > still * size(k.box)) {
      k.still_at = k.at;
      k.still_since = seconds;
    }
  }
}

void Watch::forget(double seconds, bool all) {
  for (const Known &k : known_) {
    if (k.here || (!all && seconds - k.last <= settings_.hand_over / 1000.)) continue;
    for (std::size_t i = 0; i < zones_.size(); i++)
      if (Stay *s = find(zones_[i].stays, k.id); s && s->inside) leave(i, *s, k, k.last);
    if (k.left)
      for (std::size_t i = 0; i < zones_.size(); i++)
        if (rules_.zones[i].left_object > 0 && contains(rules_.zones[i].polygon, k.at)) {
          Event e = event(Kind::object_removed, zones_[i].name, k);
          e.owner = k.owner;
          events_.push_back(e);
          break;
        }
  }
  const auto gone = [&](std::uint64_t id) {
    const Known *k = find(known_, id);
    return !k || (!k->here && (all || seconds - k->last > settings_.hand_over / 1000.));
  };
  for (ZoneState &z : zones_) std::erase_if(z.stays, [&](const Stay &s) { return gone(s.id); });
  for (LineState &l : lines_) std::erase_if(l.paths, [&](const Path &p) { return gone(p.id); });
  std::erase_if(known_, [&](const Known &k) {
    return !k.here && (all || seconds - k.last > settings_.hand_over / 1000.);
  });
}

void Watch::step(std::span<const Subject> subjects, double seconds, std::span<const Ghost> ghosts) {
  events_.clear();
  if (!std::isfinite(seconds)) seconds = last_;
  if (started_ && seconds < last_) finish();
  started_ = true;
  last_ = seconds;
  meet(subjects, seconds);
  forget(seconds, false);
  for (std::size_t i = 0; i < zones_.size(); i++) step_zone(i, seconds);
  step_taken(ghosts, seconds);
  for (std::size_t i = 0; i < lines_.size(); i++) step_line(i, seconds);
}

void Watch::finish() {
  events_.clear();
  for (Known &k : known_) k.here = false;
  taken_.clear();
  forget(last_, true);
  for (std::size_t i = 0; i < zones_.size(); i++) step_zone(i, last_);
  started_ = false;
}

} // namespace vigil::rules
