// SPDX-License-Identifier: LGPL-2.1-or-later
// Crossings of lines, heat maps and the history of motion on their way to the disk. What it refuses is kept
// in memory and tried again.
#pragma once

#include "disk_queue.h"
#include "storage.h"

#include <map>
#include <string>
#include <vector>

namespace vigil::monitor {

class StatisticsWriter {
 public:
  StatisticsWriter(Storage &storage, DiskQueue &queue) : storage_(storage), queue_(queue) {}

  // On the main thread.
  void crossing(const std::string &camera, const std::string &line, double time, bool in);
  void heat(const std::string &camera, double time, std::vector<float> cells);
  void motion(const std::string &camera, const MovedSeconds &moved) { storage_.motion().add(camera, moved); }

  // On the writer thread: what is in memory.
  void save_crossings();
  void save_motion();

 private:
  Storage &storage_;
  DiskQueue &queue_;
  // The writer thread's:
  std::map<CrossingPlace, Crossings> crossings_;
  Outage crossings_outage_, motion_outage_;
};

} // namespace vigil::monitor
