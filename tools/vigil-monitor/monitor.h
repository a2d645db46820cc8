// SPDX-License-Identifier: LGPL-2.1-or-later
// The program: its parts, their start and their end. What a part does is in its own header.
//
// Threads: the main loop owns cameras and configuration (CameraSet); the writer thread (DiskQueue) the
// database and files of events; each clip has one that writes it, and so have all recordings together
// (MediaThreads); the reaper's take pipelines down, each one. HTTP threads ask the main loop by call().
//
// Locks: parts call each other without a lock of their own, except OverridesWriter (then the queue's lock)
// and RetentionPass::stats() (then those of Storage's reports and the second folder). No part calls back
// under a lock.
//
// End: stop() ends viewers, exports, cameras, clips and recordings, then the reaper's tasks, then the writer
// thread, which has tasks of all. Only then are parts destroyed, in the reverse order of their members: each
// refers to those above it. Services and the hub's callback also refer to CameraSet, below them, but use it
// on the main loop alone.
#pragma once

#include "announcer.h"
#include "camera_set.h"
#include "export/exports.h"
#include "main_loop.h"
#include "media_threads.h"
#include "reaper.h"
#include "retention_pass.h"
#include "store/disk_queue.h"
#include "store/event_writer.h"
#include "store/statistics_writer.h"
#include "store/storage.h"

#include <functional>
#include <memory>
#include <string>

namespace vigil::monitor {

class StreamLook;

class Monitor {
 public:
  class Services; // monitor_services.h

  // `file` is read again on reload; empty: the configuration stays.
  Monitor(Config, std::string file);
  ~Monitor();

  void start(); // the cameras
  // False when a pipeline does not end: it still uses this object, which must not be destroyed then.
  bool stop();

  // As MainLoop::call().
  template <class F>
  auto call(F f) -> decltype(f()) {
    return MainLoop::call(std::move(f));
  }

  // For the main loop (by call):
  CameraSet &cameras() { return cameras_; }
  Services &services() { return *services_; }
  // Opens a stream and looks at it; ends when the last owner lets go, on any thread. Throws as
  // CameraSet::add().
  std::shared_ptr<StreamLook> look_at(const std::string &source);

  // For any thread:
  const MainLoop &loop() const { return loop_; }
  const Utc &utc() const { return utc_; }
  Storage &storage() { return storage_; }
  Announcer &announcer() { return announcer_; }
  DiskQueue &queue() { return queue_; }
  EventWriter &events() { return events_; }
  RetentionPass &retention() { return retention_; }
  Exports &exports() { return exports_; }
  const OpenSegments &open_segments() const { return media_.recordings()->open_segments(); }

 private:
  void tick();
  void announce_recorded();
  ExportSource export_source();

  MainLoop loop_;
  Utc utc_;
  Storage storage_;
  Announcer announcer_;
  DiskQueue queue_;
  EventWriter events_;
  StatisticsWriter statistics_;
  MediaThreads media_;
  RetentionPass retention_;
  Exports exports_;
  const std::shared_ptr<Services> services_;
  CameraSet cameras_;
  Reaper reaper_;
};

} // namespace vigil::monitor
