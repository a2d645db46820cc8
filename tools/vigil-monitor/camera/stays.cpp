// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stays.h"

#include <algorithm>
#include <iterator>

namespace vigil::monitor {

void Stays::too_long(const Stay &stay, double time, double seconds) {
  if (const auto old = stays_.find(stay); old != stays_.end()) end(old, time);
  const std::string label = "loitering", &zone = stay.first;
  std::string key = events_.young(label, time);
  if (key.empty()) key = label + "/" + std::to_string(stay.second) + "/" + zone;
  events_.begin({label, time, seconds, zone, key, true, false});
  stays_[stay] = key;
}

void Stays::left(const Stay &stay, double time, double seconds) {
  const auto found = stays_.find(stay);
  if (found == stays_.end()) return;
  events_.raise_score(found->second, seconds);
  end(found, time);
}

void Stays::keep_zones(const std::map<std::string, Zone> &zones, double time) {
  for (auto stay = stays_.begin(); stay != stays_.end();)
    stay = zones.count(stay->first.first) ? std::next(stay) : end(stay, time);
}

Stays::Place Stays::end(Place stay, double time) {
  const std::string key = stay->second;
  const auto next = stays_.erase(stay);
  if (std::none_of(stays_.begin(), stays_.end(), [&](const auto &s) { return s.second == key; }))
    events_.end(key, time);
  return next;
}

} // namespace vigil::monitor
