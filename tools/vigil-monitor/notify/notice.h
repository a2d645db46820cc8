// SPDX-License-Identifier: LGPL-2.1-or-later
// A message to a person: what it says of one event or of many, and whether it is time for it.
#pragma once

#include "../config/notify.h"
#include "../store/event.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct Notice {
  std::string title, text; // lines of plain text
  std::string jpeg, name;  // the picture, empty: none, and its file name
};

// What an event is called, "person?" where that is guessed; otherwise what caused it.
std::string title_of(const Event &);
// Whether these are the news by which the event became one of those that the rule asks for.
bool becomes_wanted(const WantedEvents &, const std::optional<Event> &before, const Event &now);

// By local time, also on the days when the clock is changed.
bool is_quiet(const std::optional<QuietHours> &, double time);
// The same of a time of the day, in minutes.
bool is_quiet_at(const QuietHours &, int minute);

// "motion at gate" of one event, "3 events at gate, door" of several, with a line for each of the first ten.
// `events` are in their order, and not empty. `titles`: what people call a camera.
using CameraTitles = std::function<std::string(const std::string &camera)>;
Notice notice_of(const std::vector<Event> &events, const CameraTitles &titles);
Notice test_notice();

} // namespace vigil::monitor
