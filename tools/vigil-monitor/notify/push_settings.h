// SPDX-License-Identifier: LGPL-2.1-or-later
// What the owner of a device has chosen: of which events there are messages, and when.
#pragma once

#include "../config/notify.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

namespace vigil::monitor {

struct PushSettings : WantedEvents {
  std::optional<QuietHours> quiet;
  std::set<int> days;       // of the week on which there are messages, 1 (Monday) to 7; empty: all
  double min_interval = 60; // seconds between two messages
  std::string language;     // of the page; empty: the browser's
  std::string time_zone;    // of the browser, such as Europe/Berlin; empty: this machine's
};

nlohmann::json to_json(const PushSettings &);
// The settings with the members of a JSON object changed. Throws Error::bad_setting on what is no setting.
PushSettings changed_settings(PushSettings, const nlohmann::json &);

// Whether there is no message at this day of the week (1: Monday) and minute of the day, where the device is.
bool is_silent(const PushSettings &, int day, int minute);

} // namespace vigil::monitor
