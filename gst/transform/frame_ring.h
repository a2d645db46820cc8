// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames that FramesInFlight holds: made when they are needed, then used again and again, without
// allocation.
#pragma once

#include "gst/transform/frame_processor.h"

#include <functional>
#include <memory>
#include <vector>

namespace vigil::gst {

struct FrameInFlight {
  FrameInFlight(Device &, std::unique_ptr<FrameMapping>, FrameProcessor &);

  std::unique_ptr<FrameMapping> reader, writer; // the latter when a picture was made
  std::unique_ptr<FrameProcessor::PerFrameData> result;
  std::unique_ptr<Event> uploaded, done; // done: all that was submitted for the frame
  std::unique_ptr<Timer> timer;          // of the group that it is the first of
  std::unique_ptr<Queue> own_queue;      // for a picture that goes to a texture
  Queue *queue = nullptr;                // on which it is sent
  BufferPtr in, out;
  FrameProcessor::FrameTask task;
  bool discont = false;
  bool uploads = false;   // `uploaded` is to be waited for
  bool completed = false; // complete() was called
  int timed = 0;          // frames that its timer measured

  Use use() const { return task.plan.use; }
};

class FrameRing {
 public:
  using MakeMapping = std::function<std::unique_ptr<FrameMapping>(const FrameKind &)>;

  FrameRing(Device &device, FrameProcessor &work) : device_(device), work_(work) {} // which outlive it

  // Frames of these kinds from now on. All must be free.
  void set_format(const FrameKind &in, const FrameKind &out, MakeMapping);
  const FrameKind &in() const { return in_; }
  const FrameKind &out() const { return out_; }
  // Gives up the memory of all frames, which must be free.
  void forget();

  FrameInFlight &next(); // the free frame that is used next; made where there is none
  void take_next() { free_.pop_back(); }
  void give_back(FrameInFlight *f) { free_.push_back(f); }
  // The mapping of the picture that is made; the first call makes the mapping.
  FrameMapping &writer_of(FrameInFlight &);
  // Calls fn(queue) for each queue that belongs to one frame alone.
  template <class Fn>
  void for_each_own_queue(Fn fn) const {
    for (const auto &f : frames_)
      if (f->own_queue) fn(*f->own_queue);
  }

 private:
  Device &device_;
  FrameProcessor &work_;
  FrameKind in_, out_;
  MakeMapping make_mapping_;
  std::vector<std::unique_ptr<FrameInFlight>> frames_; // all there are
  std::vector<FrameInFlight *> free_;                  // the last one is the next to be used
};

} // namespace vigil::gst
