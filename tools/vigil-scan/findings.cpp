// SPDX-License-Identifier: LGPL-2.1-or-later
#include "findings.h"

#include <algorithm>

namespace vigil::scan {

std::vector<Event> join_events(const std::vector<Findings> &parts) {
  std::vector<Event> events;
  std::map<std::string, Time> open;
  const auto close = [&](std::map<std::string, Time>::iterator i, Time end) {
    events.push_back({i->first, i->second, end});
    return open.erase(i);
  };
  for (const Findings &f : parts) {
    for (auto i = open.begin(); i != open.end();)
      i = f.open_at_begin.contains(i->first) ? std::next(i) : close(i, f.part.begin);
    for (const std::string &label : f.open_at_begin) open.try_emplace(label, f.part.begin);
    for (const Change &c : f.changes) {
      const auto i = open.find(c.label);
      if (c.begins)
        open.try_emplace(c.label, c.time);
      else if (i != open.end())
        close(i, c.time);
    }
  }
  for (auto i = open.begin(); i != open.end();) i = close(i, parts.back().last);
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.label < b.label;
  });
  return events;
}

} // namespace vigil::scan
