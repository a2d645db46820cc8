// SPDX-License-Identifier: LGPL-2.1-or-later
// What this process uses, as /proc tells it; and what it gives back.
#pragma once

#include <cstdint>

namespace vigil::monitor {

struct ProcessState {
  double cpu_seconds = 0;
  std::int64_t memory_bytes = 0, threads = 0, descriptors = 0;
};
ProcessState process_state();

// Gives memory that was freed back to the system. glibc keeps it for the threads that freed it, of which each
// camera has many and each connection new ones: the process would grow for hours, most of it free.
void give_back_memory();

} // namespace vigil::monitor
