// SPDX-License-Identifier: LGPL-2.1-or-later
// The share of one camera in what waits for the disk's thread. A camera whose share is full is behind until
// half of it is written.
#pragma once

#include "disk.h"
#include "segment_writer.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace vigil::monitor {

class DiskShare {
 public:
  explicit DiskShare(std::shared_ptr<RecordingDisk> disk) : disk_(std::move(disk)) {}

  // With Recording's lock held. False: there is no room for it, and the fragment is lost.
  bool add(const std::shared_ptr<SegmentWriter> &, CutFragment);
  bool has_caught_up();
  std::size_t waiting() const { return *waiting_; } // bytes; on any thread

 private:
  const std::shared_ptr<RecordingDisk> disk_;
  // The disk's thread takes off what it has written, also when the camera is gone.
  const std::shared_ptr<std::atomic<std::size_t>> waiting_ = std::make_shared<std::atomic<std::size_t>>(0);
  bool behind_ = false;
};

} // namespace vigil::monitor
