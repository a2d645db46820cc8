// SPDX-License-Identifier: LGPL-2.1-or-later
// Moves older segments to the second folder, and deletes there what has to go: on a thread of its own, so
// that a folder that is slow or hangs holds up nothing else. A segment is copied, synced and renamed, then
// its row says where it is, and then the first file goes: at any moment one whole file is where the row says.
#pragma once

#include "../config/config.h"
#include "../ending_thread.h"
#include "index.h"
#include "places.h"
#include "retention.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

class ColdMover {
 public:
  using Log = std::function<void(const std::string &)>;
  // On its thread: `deleted`, what a pass has deleted; `compared`, once the rows are those of the files here.
  ColdMover(RecordingIndex &, RecordingPlaces, std::string storage, Log,
            std::function<void(std::vector<Departure>)> deleted, std::function<void()> compared = {});

  void start(); // once the rows are those of the files in the first folder
  // False when the folder hangs: the thread still uses this object then.
  bool stop(std::chrono::milliseconds patience);

  struct Wish {
    double now = 0; // UTC
    bool clock_trusted = true;
    ColdConfig limits;
    std::int64_t hot_excess = 0; // bytes that the first folder has too many, or nearly
  };
  void ask(const Wish &); // once a minute; waits for nothing

 private:
  void run();
  void pass(const Wish &);
  void move(const Wish &);
  enum class Moved { yes, no, refused };
  Moved move(const Segment &);
  bool compare(); // false: the folder cannot be read
  void compare(const std::string &path, const std::string &id);
  bool ended() const;

  RecordingIndex &index_;
  const RecordingPlaces places_;
  const Log log_;
  const std::function<void(std::vector<Departure>)> deleted_;
  const std::function<void()> compared_;
  RecordingRetention retention_; // its thread's
  bool works_ = false;           // likewise: at the last look
  mutable std::mutex lock_;
  std::condition_variable more_;
  std::optional<Wish> wish_;
  bool ended_ = false;
  EndingThread thread_;
};

} // namespace vigil::monitor
