// SPDX-License-Identifier: LGPL-2.1-or-later
// What this process uses, as /proc tells it.
#pragma once

#include <cstdint>

namespace vigil::monitor {

struct ProcessState {
  double cpu_seconds = 0;
  std::int64_t memory_bytes = 0, threads = 0, descriptors = 0;
};
ProcessState process_state();

} // namespace vigil::monitor
