// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/by_id.h"
#include "kernels/rules/watch.h"

#include <algorithm>
#include <cmath>

namespace vigil::rules {

void Watch::leave(std::size_t zone, Stay &s, const Known &k, double seconds) {
  ZoneState &z = zones_[zone];
  s.inside = false;
  z.count.inside--;
  z.count.left++;
  Event e = event(Kind::zone_leave, z.name, k);
  e.seconds = seconds - s.entered;
  e.entered_id = s.entered_id;
  e.count = z.count.inside;
  events_.push_back(e);
}

void Watch::step_stay(std::size_t zone, const Known &k, double seconds) {
  ZoneState &z = zones_[zone];
  const Zone &rule = rules_.zones[zone];
  const std::size_t before = z.stays.size();
  Stay *const s = &obtain(z.stays, k.id);
  const bool is_new = z.stays.size() > before;
  const bool within = matters(rule.filter, k) && contains(rule.polygon, k.at);
  const bool certain = is_new || distance_to_border(rule.polygon, k.at) >= settings_.hysteresis;
  if (k.found && certain && within != s->wants) {
    s->wants = within;
    s->wants_since = seconds;
  } else if (k.found && !certain && s->wants != s->inside && s->wants != within) {
    s->wants = s->inside; // it turned round at the border
  }
  if (s->wants != s->inside && seconds - s->wants_since >= settings_.settle_time / 1000.) {
    if (s->inside)
      leave(zone, *s, k, s->wants_since);
    else {
      s->inside = true;
      s->loitered = s->sped = false;
      s->entered = s->wants_since;
      s->entered_id = k.id;
      z.count.inside++;
      z.count.entered++;
      Event e = event(Kind::zone_enter, z.name, k);
      e.count = z.count.inside;
      events_.push_back(e);
    }
  }
  if (!s->inside) return;
  const double stay = seconds - s->entered;
  if (rule.loitering > 0 && !s->loitered && stay >= rule.loitering) {
    s->loitered = true;
    Event e = event(Kind::loitering, z.name, k);
    e.seconds = stay;
    e.entered_id = s->entered_id;
    e.count = z.count.inside;
    events_.push_back(e);
  }
  if (rule.max_speed > 0 && !s->sped && k.found && k.speed > rule.max_speed) {
    s->sped = true;
    Event e = event(Kind::speed, z.name, k);
    e.seconds = stay;
    e.entered_id = s->entered_id;
    events_.push_back(e);
  }
}

void Watch::step_crowd(std::size_t zone, double seconds) {
  ZoneState &z = zones_[zone];
  const Zone &rule = rules_.zones[zone];
  const bool many = rule.crowd_count > 0 && z.count.inside >= rule.crowd_count;
  if (many == z.crowded) {
    z.crowd_since = -1;
    return;
  }
  if (z.crowd_since < 0) z.crowd_since = seconds;
  if (seconds - z.crowd_since < rule.crowd_seconds) return;
  z.crowded = many;
  Event e;
  e.kind = many ? Kind::crowd_begin : Kind::crowd_end;
  e.rule = &z.name;
  e.count = z.count.inside;
  e.seconds = seconds - z.crowd_since;
  z.crowd_since = -1;
  events_.push_back(e);
}

void Watch::step_left(std::size_t zone, Known &k, double seconds) {
  const Zone &rule = rules_.zones[zone];
  if (rule.left_object <= 0 || !contains(rule.polygon, k.at)) return;
  const double size = std::sqrt(std::max(k.box.width, 1.) * std::max(k.box.height, 1.));
  if (k.left) {
    if (k.furthest <= 2 * size) return;
    k.left = false; // somebody took it along
    Event e = event(Kind::object_removed, rules_.zones[zone].name, k);
    e.owner = k.owner;
    events_.push_back(e);
    return;
  }
  if (!k.owner || k.furthest > size || seconds - k.still_since < rule.left_object) return;
  const Known *const owner = find(known_, k.owner);
  if (owner && owner->here && std::hypot(owner->at.x - k.at.x, owner->at.y - k.at.y) < 2 * owner->box.height)
    return;
  k.left = true;
  Event e = event(Kind::object_left, rules_.zones[zone].name, k);
  e.owner = k.owner;
  e.seconds = seconds - k.still_since;
  events_.push_back(e);
}

void Watch::step_zone(std::size_t zone, double seconds) {
  ZoneState &z = zones_[zone];
  for (Known &k : known_) {
    if (!k.here) continue;
    step_stay(zone, k, seconds);
    if (matters(rules_.zones[zone].filter, k)) step_left(zone, k, seconds);
  }
  step_crowd(zone, seconds);
  const auto changes = [&](const Event &e) {
    return (e.kind == Kind::zone_enter || e.kind == Kind::zone_leave) && e.rule == &z.name;
  };
  if (std::none_of(events_.begin(), events_.end(), changes)) return;
  Event e;
  e.kind = Kind::zone_count;
  e.rule = &z.name;
  e.count = z.count.inside;
  events_.push_back(e);
}

} // namespace vigil::rules
