// SPDX-License-Identifier: LGPL-2.1-or-later
// The writer thread: everything that the database and the files of events get waits in its queue. Says once
// when the disk is so slow that something is lost.
#pragma once

#include "../camera/utc.h"
#include "../log.h"
#include "../worker.h"
#include "common/error.h"
#include "outage.h"

namespace vigil::monitor {

class DiskQueue : public Worker {
 public:
  DiskQueue() : Worker(most_tasks, log_line) {}

  // On the main thread. `what` was not taken.
  void lost(const char *what) {
    if (full_.failed(Utc::monotonic_seconds()))
      log_line(vigil::text("the disk is so slow that ", what, " are lost: ", length(),
                           " things wait for it already"));
  }
  void tick() { // once a second
    if (full_.worked(Utc::monotonic_seconds())) log_line("the disk takes everything again");
  }

 private:
  static constexpr std::size_t most_tasks = 4096;
  Outage full_;
};

} // namespace vigil::monitor
