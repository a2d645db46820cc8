// SPDX-License-Identifier: LGPL-2.1-or-later
// Notifies systemd of the states of a unit of Type=notify, by the protocol of sd_notify(3). Without systemd
// nothing happens.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace vigil::monitor {

// "READY=1", "STOPPING=1" or "WATCHDOG=1".
void notify_service_manager(std::string_view state) noexcept;

// How often WATCHDOG=1 is due so that systemd does not take the program for hung (WatchdogSec= of the unit).
std::optional<std::chrono::milliseconds> watchdog_period();

} // namespace vigil::monitor
