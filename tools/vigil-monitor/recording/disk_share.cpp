// SPDX-License-Identifier: LGPL-2.1-or-later
#include "disk_share.h"

namespace vigil::monitor {

bool DiskShare::add(const std::shared_ptr<SegmentWriter> &segment, CutFragment cut) {
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

bool DiskShare::has_caught_up() {
  if (behind_ && *waiting_ > RecordingDisk::most_of_camera / 2) return false;
  behind_ = false;
  return true;
}

} // namespace vigil::monitor
