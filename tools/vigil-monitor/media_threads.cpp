// SPDX-License-Identifier: LGPL-2.1-or-later
#include "media_threads.h"

#include "counted.h"
#include "log.h"
#include "main_loop.h"

#include <chrono>
#include <utility>

namespace vigil::monitor {

MediaThreads::MediaThreads(Storage &storage)
    : storage_(storage), recordings_(std::make_shared<RecordingDisk>(storage.recordings(), storage.places(),
                                                                     storage.path(), log_line)) {}

MediaThreads::~MediaThreads() {
  if (cold_) cold_->stop(std::chrono::seconds(0)); // where the program never started
}

void MediaThreads::begin(std::shared_ptr<RecordingRecovery> recovery,
                         std::function<void(std::vector<Departure>)> deleted) {
  if (storage_.places().cold())
    cold_ = std::make_shared<ColdMover>(storage_.recordings(), storage_.places(), storage_.path(), log_line,
                                        std::move(deleted), [s = &storage_] { s->recordings_compared(); });
  recordings_->add_needed([cold = cold_, recovery = std::move(recovery), s = &storage_] {
    const bool all = recovery->compare();
    if (cold)
      cold->start();
    else if (all)
      s->recordings_compared();
  });
}

void MediaThreads::tick() {
  recordings_->tick();
  if (cold_) storage_.places().cold()->tick();
}

bool MediaThreads::end() {
  constexpr std::chrono::seconds disks(20);
  const bool clips = clips_->wait(disks); // each then tells the main loop
  if (!clips)
    log_line(vigil::text(counted(clips_->clips(), "clip"), " still ",
                         word_for(clips_->clips(), "waits", "wait"),
                         " for the disk; the program leaves without waiting, and closes ",
                         word_for(clips_->clips(), "it", "them"), " when it starts again"));
  MainLoop::run_pending(); // clips that are parts of the recording ask the disk's thread
  const bool recorded = recordings_->wait(clips ? disks : std::chrono::seconds(0));
  if (!recorded)
    log_line("the disk has not taken the recordings' last seconds; the program leaves without waiting");
  const bool moved = !cold_ || cold_->stop(std::chrono::seconds(5));
  if (!moved) log_line("the second folder does not answer; the program leaves without waiting for it");
  return clips && recorded && moved;
}

} // namespace vigil::monitor
