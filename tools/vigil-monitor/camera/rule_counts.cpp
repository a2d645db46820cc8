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
  }
  for (const auto &[name, line] : config.lines)
    lines.push_back({{"name", std::string(line_mark) + name}, {"points", points(line.points)}});
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

nlohmann::json RuleCounts::describe(const CameraConfig &config, bool counted) const {
  nlohmann::json zones = nlohmann::json::object(), lines = nlohmann::json::object();
  if (counted) {
    for (const auto &[name, zone] : config.zones) {
      const auto n = inside_.find(name);
      zones[name] = n == inside_.end() ? 0 : n->second;
    }
    for (const auto &[name, line] : config.lines) {
      const auto n = crossed_.find(name);
      const LineTotals totals = n == crossed_.end() ? LineTotals{} : n->second;
      lines[name] = {{"in", totals.in}, {"out", totals.out}};
    }
  }
  return {{"zones", zones}, {"lines", lines}};
}

} // namespace vigil::monitor
