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

inline bool DiskShare::add(const std::shared_ptr<SegmentWriter> &segment, CutFragment cut) {
  const std::size_t camera_waits = *waiting_, size = cut.bytes;
  const auto fragment = std::make_shared<CutFragment>(std::move(cut));
  const bool room = camera_waits + size <= RecordingDisk::most_of_camera &&
                    disk_->bytes + size <= RecordingDisk::most_bytes;
  *waiting_ += size;
  disk_->bytes += size;
  const auto forget = [disk = disk_, waiting = waiting_, size] {
    *waiting -= size;
    disk->bytes -= size;
  };
  if (room && disk_->add([segment, fragment, forget] {
        segment->append(*fragment);
        forget();
      }))
    return true;
  forget();
  behind_ = true;
  return false;
}

inline bool DiskShare::has_caught_up() {
  if (behind_ && *waiting_ > RecordingDisk::most_of_camera / 2) return false;
  behind_ = false;
  return true;
}

} // namespace vigil::monitor
