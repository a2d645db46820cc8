// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/rules/rule_engine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace vigil::rules {
namespace {

// A rule whose name was there before goes on.
template <class Rule, class Form>
std::vector<Rule> carry(std::vector<Rule> &old, const std::vector<Form> &forms) {
  std::vector<Rule> rules;
  for (const Form &form : forms) {
    const auto same =
        std::find_if(old.begin(), old.end(), [&](const Rule &r) { return r.name() == form.name; });
    if (same == old.end()) {
      rules.emplace_back(form);
      continue;
    }
    rules.push_back(std::move(*same));
    rules.back().set(form);
  }
  return rules;
}

} // namespace

void RuleEngine::set(Rules pixels) {
  events_.clear();
  zones_ = carry(zones_, pixels.zones);
  lines_ = carry(lines_, pixels.lines);
  projection_ = Projection(pixels.anchor, pixels.ground);
  rules_ = std::move(pixels);
}

void RuleEngine::reset_totals() {
  for (ZoneRule &z : zones_) z.reset_totals();
  for (LineRule &l : lines_) l.reset_totals();
}

void RuleEngine::meet(std::span<const Subject> subjects, double seconds) {
  const auto renames = table_.meet(subjects, seconds, projection_, settings_);
  if (renames.empty()) return;
  for (ZoneRule &z : zones_) z.rename(renames);
  for (LineRule &l : lines_) l.rename(renames);
  left_objects_.rename(renames);
}

void RuleEngine::forget(double seconds) {
  for (const TrackedObject &o : table_.objects()) {
    if (!ObjectTable::is_gone(o, seconds, settings_)) continue;
    for (ZoneRule &z : zones_) z.end_stay(o, o.times.last, events_);
  }
  table_.erase_gone(seconds, settings_);
  const auto gone = [&](std::uint64_t id) { return !table_.find(id); };
  for (ZoneRule &z : zones_) z.forget(gone);
  for (LineRule &l : lines_) l.forget(gone);
}

void RuleEngine::step_zones(double seconds) {
  for (std::size_t i = 0; i < zones_.size(); i++) {
    const Zone &zone = rules_.zones[i];
    for (TrackedObject &o : table_.objects()) {
      if (!o.now.here) continue;
      zones_[i].step(o, seconds, settings_, events_);
      if (passes(zone.filter, o)) left_objects_.step(zone, o, table_, seconds, events_);
    }
    zones_[i].end_frame(seconds, events_);
  }
}

void RuleEngine::step(std::span<const Subject> subjects, double seconds, std::span<const Ghost> ghosts) {
  events_.clear();
  if (!std::isfinite(seconds)) seconds = last_;
  if (started_ && seconds < last_) finish();
  started_ = true;
  last_ = seconds;
  meet(subjects, seconds);
  forget(seconds);
  step_zones(seconds);
  left_objects_.watch(rules_.zones, table_, seconds, events_);
  left_objects_.step(rules_.zones, ghosts, table_, projection_, seconds, events_);
  for (LineRule &l : lines_) l.step(table_, seconds, settings_, events_);
}

void RuleEngine::finish() {
  events_.clear();
  table_.end_all();
  left_objects_.forget();
  forget(std::numeric_limits<double>::infinity());
  step_zones(last_);
  started_ = false;
}

} // namespace vigil::rules
