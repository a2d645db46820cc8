// SPDX-License-Identifier: LGPL-2.1-or-later
#include "notice.h"

#include "../printable.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>

namespace vigil::monitor {
namespace {

bool is_wanted(const WantedEvents &rule, const Event &e) {
  const auto in = [](const std::set<std::string> &wanted, const std::string &name) {
    return wanted.empty() || wanted.count(name);
  };
  const bool zone =
      rule.zones.empty() || std::any_of(e.zones.begin(), e.zones.end(),
                                        [&](const std::string &z) { return rule.zones.count(z) != 0; });
  const bool label =
      in(rule.labels, e.label) || std::any_of(e.labels.begin(), e.labels.end(), [&](const EventLabel &l) {
        return l.score >= least_score && rule.labels.count(l.label) != 0;
      });
  return in(rule.cameras, e.camera) && label && zone;
}

std::tm local(double time) {
  const auto t = static_cast<std::time_t>(std::floor(time));
  std::tm parts{};
  localtime_r(&t, &parts);
  return parts;
}

std::string time_text(double time) {
  const std::tm parts = local(time);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts));
}

} // namespace

std::string title_of(const Event &e) {
  for (const EventLabel &l : e.labels)
    if (l.score >= least_score) return l.label + (l.by == EventLabel::By::person ? "" : "?");
  return e.label;
}

bool becomes_wanted(const WantedEvents &rule, const std::optional<Event> &before, const Event &now) {
  return is_wanted(rule, now) && !(before && is_wanted(rule, *before));
}

bool is_quiet(const std::optional<QuietHours> &quiet, double time) {
  if (!quiet) return false;
  constexpr int minutes = 60;
  const std::tm parts = local(time);
  return is_quiet_at(*quiet, parts.tm_hour * minutes + parts.tm_min);
}

bool is_quiet_at(const QuietHours &quiet, int minute) {
  return quiet.from < quiet.to ? minute >= quiet.from && minute < quiet.to
                               : minute >= quiet.from || minute < quiet.to;
}

Notice notice_of(const std::vector<Event> &events, const CameraTitles &titles) {
  constexpr std::size_t most_lines = 10;
  Notice n;
  std::vector<std::string> cameras;
  for (const Event &e : events)
    if (std::find(cameras.begin(), cameras.end(), e.camera) == cameras.end()) cameras.push_back(e.camera);
  n.title = events.size() == 1 ? title_of(events.front()) : std::to_string(events.size()) + " events";
  std::string at;
  for (const std::string &c : cameras) at += (at.empty() ? "" : ", ") + titles(c);
  n.title += " at " + at;
  constexpr std::size_t longest = 200;
  n.title = printable(n.title, longest);
  for (std::size_t i = 0; i < std::min(events.size(), most_lines); i++)
    n.text += (i ? "\n" : "") + time_text(events[i].start_time) + " " + title_of(events[i]) + " at " +
              titles(events[i].camera);
  if (events.size() > most_lines) n.text += "\nand " + std::to_string(events.size() - most_lines) + " more";
  return n;
}

Notice test_notice() {
  return {"A test of Vigil", "This message was asked for by an administrator. Events look like it.", "", ""};
}

} // namespace vigil::monitor
