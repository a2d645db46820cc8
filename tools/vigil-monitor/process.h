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

// Has all threads share two of glibc's arenas; by itself it makes up to eight a processor, each of which
// keeps what was freed in it for its own threads. A camera has a dozen threads, and new ones after each
// outage, so that the process would grow for hours, most of it free. Call it before the first thread begins.
// The environment's MALLOC_ARENA_MAX wins.
void share_arenas();

// Gives memory that was freed back to the system. What lies between pieces in use stays with the process
// otherwise: with four cameras that connect again every ten seconds it grew by 80 MB in a minute and a half,
// and not at all with this, which takes some milliseconds.
void give_back_memory();

} // namespace vigil::monitor
