// SPDX-License-Identifier: LGPL-2.1-or-later
// ONVIF devices on the local networks, by WS-Discovery: a question by UDP multicast, which each device
// answers by itself. Only when somebody asks for it.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

struct FoundDevice {
  std::string host, address;  // of its service
  std::string name, hardware; // as it calls itself
};

struct FoundDevices {
  std::vector<FoundDevice> devices; // by host
  std::vector<std::string> refused; // answers that cannot be used, and why
};

constexpr double seconds_of_search = 3;

// Takes `seconds_of_search`, or ends soon after `ended` became true. Throws Error::io without a network.
FoundDevices search_devices(const std::atomic<bool> &ended);

std::string probe_message(const std::string &id);
// The devices in an answer that came from the address `sender`. Throws Error::bad_data when it is none, or
// names another host than that which sent it. Nothing: it answers another question.
std::vector<FoundDevice> devices_in(std::string_view answer, const std::string &sender,
                                    const std::string &id);

} // namespace vigil::monitor
