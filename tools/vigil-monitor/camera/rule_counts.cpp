// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rule_counts.h"

#include <string_view>

namespace vigil::monitor {
namespace {

constexpr std::string_view line_mark = "line:"; // no name has a colon

nlohmann::json points(const std::vector<Point> &from) {
  nlohmann::json out = nlohmann::json::array();
  for (const Point p : from) out.push_back({p.x, p.y});
  return out;
}

} // namespace

std::string RuleCounts::rules(const CameraConfig &config) {
  nlohmann::json zones = nlohmann::json::array(), lines = nlohmann::json::array();
  for (const auto &[name, zone] : config.zones) {
    zones.push_back({{"name", name}, {"polygon", points(past_lower_border(zone.points))}});
    if (zone.loiter_seconds > 0) zones.back()["loitering"] = zone.loiter_seconds;
    if (!zone.labels.empty()) zones.back()["labels"] = zone.labels;
  }
  for (const auto &[name, line] : config.lines) {
    lines.push_back({{"name", std::string(line_mark) + name}, {"points", points(line.points)}});
    if (!line.labels.empty()) lines.back()["labels"] = line.labels;
  }
  return nlohmann::json{{"units", "normalised"}, {"zones", zones}, {"lines", lines}}.dump();
}

std::string RuleCounts::line_of(const std::string &name) {
  return name.starts_with(line_mark) ? name.substr(line_mark.size()) : "";
}

void RuleCounts::keep_shapes(const CameraConfig &config) {
  std::erase_if(inside_, [&](const auto &n) { return !config.zones.count(n.first); });
  std::erase_if(crossed_, [&](const auto &n) { return !config.lines.count(n.first); });
}

void RuleCounts::forget() {
  inside_.clear();
  crossed_.clear();
}

std::vector<std::string> RuleCounts::occupied() const {
  std::vector<std::string> out;
  for (const auto &[zone, count] : inside_)
    if (count > 0) out.push_back(zone);
  return out;
}

void RuleCounts::add_crossed(const std::string &line, const std::string &label, bool in) {
  auto &labels = crossed_[line].labels;
  constexpr std::size_t most_labels = 64; // of all that ever were
  if (labels.size() >= most_labels && !labels.count(label)) return;
  Crossed &c = labels[label];
  (in ? c.in : c.out)++;
}

nlohmann::json RuleCounts::line(const std::string &name) const {
  const auto n = crossed_.find(name);
  const LineTotals totals = n == crossed_.end() ? LineTotals{} : n->second;
  nlohmann::json labels = nlohmann::json::object();
  for (const auto &[label, of] : totals.labels) labels[label] = {{"in", of.in}, {"out", of.out}};
  return {{"in", totals.all.in}, {"out", totals.all.out}, {"labels", labels}};
}

nlohmann::json RuleCounts::describe(const CameraConfig &config, bool counted) const {
  nlohmann::json zones = nlohmann::json::object(), lines = nlohmann::json::object();
  if (counted) {
    for (const auto &[name, zone] : config.zones) {
      const auto n = inside_.find(name);
      zones[name] = n == inside_.end() ? 0 : n->second;
    }
    for (const auto &[name, shape] : config.lines) lines[name] = line(name);
  }
  return {{"zones", zones}, {"lines", lines}};
}

} // namespace vigil::monitor
