// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether an address belongs to the internet at large, rather than to this machine or a network around it. A
// browser names the push service: without this, anybody who may subscribe could make the server ask its
// neighbours.
#pragma once

#include <sys/socket.h>

namespace vigil::monitor {

bool is_public(const sockaddr &); // of IPv4 or IPv6; others are not

} // namespace vigil::monitor
