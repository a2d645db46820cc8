// SPDX-License-Identifier: LGPL-2.1-or-later
// Figures of the storage for /api/stats. They are asked for on a thread of its own, since the disk and the
// database may take long.
#pragma once

#include "../config/config.h"
#include "latest.h"

#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>

namespace vigil::monitor {

class Monitor;

class DiskFigures {
 public:
  explicit DiskFigures(Monitor &);

  void set_limits(const StorageConfig &); // for the next question
  // As Latest::get().
  nlohmann::json get(std::chrono::milliseconds patience) { return latest_.get(patience); }

 private:
  nlohmann::json ask(); // on the thread of latest_

  Monitor &monitor_;
  std::mutex lock_;
  StorageConfig limits_; // under lock_
  Latest latest_;        // last: its thread uses all above
};

} // namespace vigil::monitor
