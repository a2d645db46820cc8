// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace vigil::monitor {

// One line to stderr, with the time; credentials are masked, control characters escaped (printable.h). Does
// not throw. On any thread.
void log_line(const std::string &) noexcept;

} // namespace vigil::monitor
