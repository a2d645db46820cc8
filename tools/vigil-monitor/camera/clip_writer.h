// SPDX-License-Identifier: LGPL-2.1-or-later
// One clip on its way to the disk: a compressed stream as it is, in MP4.
#pragma once

#include "../reaper.h"
#include "access_units.h"
#include "clip_result.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <string>

namespace vigil::monitor {

// What the clips of all cameras share: their threads, one each, and the memory that waits for the disk.
class ClipThreads {
 public:
  static constexpr std::size_t most_clips = 256, most_bytes = 512 << 20;

  // False when so many are being written that the disk must hang, and when there is no thread to be had.
  bool add(Reaper::Task task) { return threads_.running() < most_clips && threads_.try_add(task); }
  // Waits until all clips are whole; false when some are not within the time.
  bool wait(std::chrono::milliseconds patience) { return threads_.wait(patience); }
  std::size_t clips() const { return threads_.running(); }

  std::atomic<std::size_t> bytes = 0; // of frames that wait

 private:
  Reaper threads_;
};

// Its thread alone makes folder and file, writes PATH.part, and gives it the name PATH when it is finished:
// a disk that hangs holds up nobody else. Readable to its last whole second should the program be killed.
class ClipWriter {
 public:
  using Done = std::function<void(const ClipResult &)>; // on the clip's thread, once
  // Null when ClipThreads takes no more.
  static std::shared_ptr<ClipWriter> begin(std::shared_ptr<ClipThreads>, std::string path, GstCaps *, Done);
  ~ClipWriter();
  ClipWriter(const ClipWriter &) = delete;
  ClipWriter &operator=(const ClipWriter &) = delete;

  enum class Taken {
    yes,
    lost,  // too much waits for the disk: the clip goes on with a later key frame
    failed // it takes no more
  };
  // Takes over nothing, and never waits; `time` is the frame's, UTC. `in_memory`: the frame is held by others
  // anyway, and does not count.
  Taken push(GstBuffer *, double time, bool in_memory = false);
  void end(); // the clip has had its last frame

 private:
  ClipWriter(std::shared_ptr<ClipThreads>, std::string path, GstCaps *);
  void run(const Done &);
  void write();
  ClipResult finish(bool written, std::string why) const;
  struct Frame {
    gst::BufferPtr buffer;
    std::size_t counted;
  };
  bool next(Frame &); // waits for it; false at the end
  void forget(const Frame &);

  const std::shared_ptr<ClipThreads> threads_;
  const std::string path_, part_;
  GstCaps *const caps_;
  std::mutex lock_;
  std::condition_variable more_;
  std::deque<Frame> frames_;
  std::size_t waiting_ = 0; // bytes of frames_ that count
  std::uint64_t lost_ = 0;
  double start_ = 0;
  bool begun_ = false, hole_ = false, ended_ = false, failed_ = false;
};

} // namespace vigil::monitor
