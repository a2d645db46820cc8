// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages to people: who gets one of which events, and when not.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vigil::monitor {

struct QuietHours { // minutes of the day, local time; `to` may be before `from`, over midnight
  int from = 0, to = 0;
  bool operator==(const QuietHours &) const = default;
};

struct WantedEvents { // empty: any
  std::set<std::string> cameras, labels, zones;
};

struct NotifyConfig : WantedEvents {
  enum class Kind { ntfy, email };
  Kind kind = Kind::ntfy;
  std::string url;             // https://ntfy.sh/TOPIC, smtp://HOST:PORT or smtps://HOST:PORT
  std::string token;           // of ntfy; empty: none
  std::string user, password;  // of the mail server; empty: none
  std::string from;            // of mails
  std::vector<std::string> to; // likewise
  bool tls = true;             // for mails: nothing is sent without
  std::string ca_file;         // empty: the system's authorities
  std::optional<QuietHours> quiet;
  double min_interval = 60; // seconds between two messages
};

// Messages to browsers and phones, which people order on the page for themselves.
struct PushConfig {
  bool enabled = true;
  std::string contact;            // for the push services: mailto: or https:; empty: the page's own address
  std::string ca_file;            // empty: the system's authorities
  bool private_addresses = false; // whether a push service may be at an address that is not public
};

// "22:00-06:00". Throws Error::bad_setting.
QuietHours parse_quiet_hours(const std::string &);

} // namespace vigil::monitor
