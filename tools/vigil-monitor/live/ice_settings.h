// SPDX-License-Identifier: LGPL-2.1-or-later
// By which addresses viewers of WebRTC reach this machine.
#pragma once

#include "../config/config.h"

#include <string>
#include <vector>

namespace vigil::monitor {

// Addresses of this machine's interfaces that are up; of loopback for who is on this machine, and where there
// are no others.
std::vector<std::string> own_addresses(bool for_this_machine);

} // namespace vigil::monitor
