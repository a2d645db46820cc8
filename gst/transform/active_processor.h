// SPDX-License-Identifier: LGPL-2.1-or-later
// The work of an element on its device: the processor, the frames that it works on, and the state that goes
// over to the next processor.
//
// Lock order: the work lock, then the lock of TransformStats. The work lock is held while a frame is worked
// on, never while one is pushed or a message is posted.
#pragma once

#include "gst/transform/element.h"
#include "gst/transform/frames_in_flight.h"
#include "gst/transform/transform_stats.h"

#include <memory>
#include <mutex>
#include <vector>

namespace vigil::gst {

class ActiveProcessor {
 public:
  explicit ActiveProcessor(TransformStats &stats) : stats_(stats) {}

  // The work lock. When it is open again, the buffers are given back that frames let go of meanwhile: their
  // last owner may run code of others, which may call the element.
  class Lock {
   public:
    explicit Lock(ActiveProcessor &work) : work_(work), held_(work.mutex_) {}
    ~Lock() {
      held_.unlock();
      work_.give_back();
    }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

   private:
    ActiveProcessor &work_;
    std::unique_lock<std::mutex> held_;
  };
  // The same for any thread, which lets go of no frame.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  // The caller of what follows holds the lock.
  void start(Element &, Device &);
  void stop();         // what the processor knows is kept for the next one
  void end() noexcept; // nothing is kept
  bool is_on(const Device &d) const { return device_ == &d; }
  void count() { stats_.count(frames->counts()); }

  std::unique_ptr<FrameProcessor> processor; // from start to stop, as the frames that it works on
  std::unique_ptr<FramesInFlight> frames;

 private:
  void give_back(); // on the streaming thread, without the lock
  TransformStats &stats_;
  std::mutex mutex_;
  Device *device_ = nullptr;                             // where both are
  std::unique_ptr<FrameProcessor::PortableState> state_; // of a processor that is gone
  std::vector<BufferPtr> gone_;                          // buffers that frames let go of
};

} // namespace vigil::gst
