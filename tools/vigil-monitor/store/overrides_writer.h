// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes the changes of the page to overrides.json. What the disk refuses is tried again.
//
// Lock order: the lock here, then the queue's.
#pragma once

#include "disk_queue.h"
#include "overrides_file.h"

#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

class OverridesWriter {
 public:
  OverridesWriter(Storage &storage, DiskQueue &queue) : file_(storage), queue_(queue) {}

  Overrides load() { return file_.load(); } // before the first save()
  // On the main thread. The result, for a thread that may wait: empty once they are on the disk, else why
  // they are not yet; they hold all the same, and are tried again.
  std::shared_future<std::string> save(const Overrides &);
  void retry(); // likewise: what the disk has refused

 private:
  void write(); // on the writer thread: the last ones, if they are not on the disk
  OverridesFile file_;
  DiskQueue &queue_;
  Outage outage_; // the writer thread's
  std::mutex lock_;
  std::optional<std::string> unsaved_; // overrides that are not on the disk
  std::vector<std::promise<std::string>> savers_;
};

} // namespace vigil::monitor
