// SPDX-License-Identifier: LGPL-2.1-or-later
// The pass of each minute over the storage folder: deletes what has to go, has older recordings moved, and
// says so. Nothing is deleted by its age while the system's clock is in doubt (store/clock_trust.h).
//
// Lock order: the lock here, then the one of Storage's reports.
#pragma once

#include "export/exports.h"
#include "media_threads.h"
#include "store/clock_trust.h"
#include "store/event_writer.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

class RetentionPass {
 public:
  RetentionPass(Storage &, EventWriter &, Announcer &, MediaThreads &, const Utc &, const StorageConfig &);

  // On the writer thread.
  void run(const std::map<std::string, CameraConfig> &, double retain_days, const StorageConfig &, Exports &);
  void deleted_cold(const std::vector<Departure> &);

  // On any thread.
  nlohmann::json stats(const StorageConfig &limits) const; // waits for the disk
  std::int64_t room_for_exports() const;                   // bytes

  // What a pass has deleted, with the time. On the writer thread.
  std::function<void(const Departed &, double now)> on_deleted;

 private:
  bool clock_is_trusted();
  DiskState disk(const StorageConfig &, bool clock_trusted) const; // with what is being recorded
  nlohmann::json cold_stats(const ColdConfig &, std::int64_t bytes) const;

  Storage &storage_;
  EventWriter &events_;
  Announcer &announcer_;
  MediaThreads &media_;
  const Utc &utc_;
  // The writer thread's:
  ClockTrust clock_;
  double clock_stored_ = 0;            // the monotonic time of it
  std::optional<std::int64_t> left_;   // bytes of clips and recordings after the last pass
  std::atomic<std::int64_t> min_free_; // of the disk, for exports
  mutable std::mutex lock_;
  std::string last_;
  std::optional<std::string> next_;
};

} // namespace vigil::monitor
