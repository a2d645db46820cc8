// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/boxrules/rule_stats.h"

namespace vigil::gst::boxrules {
namespace {

GstStructure *describe(const std::string &name, const rules::ZoneCount &c) {
  return gst_structure_new("zone", "name", G_TYPE_STRING, name.c_str(), "count", G_TYPE_INT, c.inside,
                           "entered", G_TYPE_UINT64, guint64(c.entered), "left", G_TYPE_UINT64,
                           guint64(c.left), nullptr);
}
GstStructure *describe(const std::string &name, const rules::LineTotal &t) {
  return gst_structure_new("line", "name", G_TYPE_STRING, name.c_str(), "forward", G_TYPE_UINT64,
                           guint64(t.forward), "backward", G_TYPE_UINT64, guint64(t.backward), nullptr);
}

void append(GValue &array, GstStructure *s) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed(&value, s);
  gst_value_array_append_and_take_value(&array, &value);
}

} // namespace

void RuleStats::restart() {
  const std::lock_guard lock(mutex_);
  frames_ = tracks_ = events_ = 0;
  zones_.clear();
  lines_.clear();
}

void RuleStats::set_rules(const rules::Rules &r) {
  const std::lock_guard lock(mutex_);
  zones_.clear();
  lines_.clear();
  for (const rules::Zone &z : r.zones) zones_.push_back({z.name, {}});
  for (const rules::Line &l : r.lines) lines_.push_back({l.name, {}});
}

void RuleStats::count_frame(std::size_t tracks) {
  const std::lock_guard lock(mutex_);
  frames_++;
  tracks_ = tracks;
}

void RuleStats::count_events(const rules::RuleEngine &engine) {
  const std::lock_guard lock(mutex_);
  events_ += engine.events().size();
  for (std::size_t i = 0; i < zones_.size(); i++) zones_[i].count = engine.count(i);
  for (std::size_t i = 0; i < lines_.size(); i++) lines_[i].total = engine.total(i);
}

GstStructure *RuleStats::structure() const {
  const std::lock_guard lock(mutex_);
  GstStructure *s = gst_structure_new("stats", "frames", G_TYPE_UINT64, frames_, "tracks", G_TYPE_UINT64,
                                      tracks_, "events", G_TYPE_UINT64, events_, nullptr);
  GValue zones = G_VALUE_INIT, lines = G_VALUE_INIT;
  g_value_init(&zones, GST_TYPE_ARRAY);
  g_value_init(&lines, GST_TYPE_ARRAY);
  for (const ZoneStats &z : zones_) append(zones, describe(z.name, z.count));
  for (const LineStats &l : lines_) append(lines, describe(l.name, l.total));
  gst_structure_take_value(s, "zones", &zones);
  gst_structure_take_value(s, "lines", &lines);
  return s;
}

} // namespace vigil::gst::boxrules
