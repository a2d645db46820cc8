// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/zone_rule.h"

#include <algorithm>
#include <cstddef>

namespace vigil::rules {

Event ZoneRule::event_of_stay(Kind kind, const Stay &s, const TrackedObject &o, double seconds) const {
  Event e = event_of(kind, zone_.name, o);
  e.seconds = seconds - s.entered;
  e.entered_id = s.entered_id;
  return e;
}

void ZoneRule::enter(Stay &s, const TrackedObject &o, std::vector<Event> &events) {
  s.inside = true;
  s.loitered = s.sped = false;
  s.entered = s.wants_since;
  s.entered_id = o.id;
  count_.inside++;
  count_.entered++;
  Event e = event_of(Kind::zone_enter, zone_.name, o);
  e.count = count_.inside;
  events.push_back(e);
}

void ZoneRule::leave(Stay &s, const TrackedObject &o, double seconds, std::vector<Event> &events) {
  s.inside = false;
  count_.inside--;
  count_.left++;
  Event e = event_of_stay(Kind::zone_leave, s, o, seconds);
  e.count = count_.inside;
  events.push_back(e);
}

void ZoneRule::settle(Stay &s, bool is_new, const TrackedObject &o, double seconds,
                      const Settings &settings) const {
  if (!o.now.found) return;
  const bool within = passes(zone_.filter, o) && contains(zone_.polygon, o.path.at);
  const bool certain = is_new || distance_to_border(zone_.polygon, o.path.at) >= settings.hysteresis;
  if (certain && within != s.wants) {
    s.wants = within;
    s.wants_since = seconds;
  } else if (!certain && s.wants != s.inside && s.wants != within) {
    s.wants = s.inside; // it turned round at the border
  }
}

// During a stay.
void ZoneRule::watch(Stay &s, const TrackedObject &o, double seconds, std::vector<Event> &events) const {
  if (zone_.loitering > 0 && !s.loitered && seconds - s.entered >= zone_.loitering) {
    s.loitered = true;
    Event e = event_of_stay(Kind::loitering, s, o, seconds);
    e.count = count_.inside;
    events.push_back(e);
  }
  if (zone_.max_speed > 0 && !s.sped && o.now.found && o.velocity.speed > zone_.max_speed) {
    s.sped = true;
    events.push_back(event_of_stay(Kind::speed, s, o, seconds));
  }
}

void ZoneRule::step(const TrackedObject &o, double seconds, const Settings &settings,
                    std::vector<Event> &events) {
  const std::size_t before = stays_.size();
  Stay &s = obtain(stays_, o.id);
  settle(s, stays_.size() > before, o, seconds, settings);
  if (s.wants != s.inside && seconds - s.wants_since >= settings.settle_seconds()) {
    if (s.inside)
      leave(s, o, s.wants_since, events);
    else
      enter(s, o, events);
  }
  if (s.inside) watch(s, o, seconds, events);
}

void ZoneRule::end_frame(double seconds, std::vector<Event> &events) {
  if (const auto crowd = crowd_.step(zone_, count_.inside, seconds)) events.push_back(*crowd);
  const auto changes = [&](const Event &e) {
    return (e.kind == Kind::zone_enter || e.kind == Kind::zone_leave) && e.rule == &zone_.name;
  };
  if (std::none_of(events.begin(), events.end(), changes)) return;
  Event e;
  e.kind = Kind::zone_count;
  e.rule = &zone_.name;
  e.count = count_.inside;
  events.push_back(e);
}

void ZoneRule::end_stay(const TrackedObject &o, double seconds, std::vector<Event> &events) {
  if (Stay *const s = find(stays_, o.id); s && s->inside) leave(*s, o, seconds, events);
}

void ZoneRule::forget(const std::function<bool(std::uint64_t)> &gone) {
  std::erase_if(stays_, [&](const Stay &s) { return gone(s.id); });
}

} // namespace vigil::rules
