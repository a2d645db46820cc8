// SPDX-License-Identifier: LGPL-2.1-or-later
// The module of network_engine.h, opened when it is first asked for and kept until the end: a library of its
// size cannot be taken out of a process safely. Any thread.
#pragma once

#include "network_engine.h"

#include <memory>

namespace vigil::monitor {

// Throws Error::no_device, with file, reason and remedy, when the module is missing, lacks a library or is of
// another version. The next call tries it again.
void need_engines();

// As need_engines(); throws Error::no_memory too.
std::unique_ptr<NetworkEngine> make_engine();

} // namespace vigil::monitor
