// SPDX-License-Identifier: LGPL-2.1-or-later
// The threads that write clips and recordings, and the one that moves older recordings to the second folder.
#pragma once

#include "camera/clip_writer.h"
#include "recording/cold_mover.h"
#include "recording/disk.h"
#include "recording/recovery.h"
#include "store/storage.h"

#include <functional>
#include <memory>
#include <vector>

namespace vigil::monitor {

class MediaThreads {
 public:
  explicit MediaThreads(Storage &);
  ~MediaThreads();
  MediaThreads(const MediaThreads &) = delete;
  MediaThreads &operator=(const MediaThreads &) = delete;

  // Compares the index with what is in the folders, on the recordings' thread, then starts the mover.
  // `deleted`: what it has deleted; on its thread.
  void begin(std::shared_ptr<RecordingRecovery>, std::function<void(std::vector<Departure>)> deleted);
  void tick(); // once a second, on the main thread
  // On the main thread: waits until all is on the disk. False when something hangs: it uses this object
  // still.
  bool end();

  const std::shared_ptr<ClipThreads> &clips() const { return clips_; }
  const std::shared_ptr<RecordingDisk> &recordings() const { return recordings_; }
  ColdMover *cold() const { return cold_.get(); } // null: no second folder

 private:
  Storage &storage_;
  const std::shared_ptr<ClipThreads> clips_ = std::make_shared<ClipThreads>();
  const std::shared_ptr<RecordingDisk> recordings_;
  std::shared_ptr<ColdMover> cold_;
};

} // namespace vigil::monitor
