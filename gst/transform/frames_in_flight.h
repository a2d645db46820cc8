// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames that an element holds while a device works on them.
//
//   begin()   asks the work what is to be done with the next frame
//   submit()  makes its picture readable on the device; when its group is full, the group is launched: the
//             work is run, and results and pictures are sent behind it
//   next()    waits for the oldest frame
//
// While frames overlap, copies from the host, the work, and copies to the host each have a queue of their
// own. A picture that goes to an OpenGL texture through CUDA has a queue for itself, so that several can be
// handed over in one batch (gl_handover.h).
//
// Not for several threads at once: the transform holds its work lock around each call.
#pragma once

#include "gst/transform/frame_processor.h"
#include "gst/transform/frame_ring.h"

#include <deque>
#include <optional>
#include <vector>

namespace vigil::gst {

// What has been done so far. Goes on when an element goes over to another device.
struct Counts {
  std::uint64_t frames = 0, worked = 0; // that came out; of them, those that the device worked on
  double kernel_ms = 0;                 // of all of these, by the device's clock
  double kernel_last_ms = 0;            // of the last one
  ByteCounts pictures;                  // copied between host and device
  std::uint64_t result_bytes = 0;
};

class FramesInFlight {
 public:
  using Frame = FrameInFlight;
  using MakeMapping = FrameRing::MakeMapping;
  // A frame on its way out. The task and its result are good until recycle().
  struct Finished {
    BufferPtr buffer;
    bool discont = false;
    const FrameProcessor::FrameTask *task = nullptr;
    Frame *frame = nullptr;
  };

  // Device and work outlive it. Buffers that are let go of are put into `gone`, for the caller to give back
  // when no lock is held: their last owner may run code of others (a pool's, an application's). Without
  // `gone` they go at once.
  FramesInFlight(Device &, FrameProcessor &, const Counts &before, std::vector<BufferPtr> *gone = nullptr);
  ~FramesInFlight();
  FramesInFlight(const FramesInFlight &) = delete;
  FramesInFlight &operator=(const FramesInFlight &) = delete;

  // Frames of these kinds from now on; those that are held are dropped.
  void set_format(const FrameKind &in, const FrameKind &out, MakeMapping);
  // The memory of all frames is given up, and made again when it is next needed. None may be held.
  void forget_frames() { ring_.forget(); }

  FrameProcessor::Plan begin(const FrameTime &);
  // The frame that was begun. `out`: for Use::produce, and must have no other owner than the caller; with
  // Use::modify `in` is writable or comes with an `out`, which goes on in its place. `overlap`: further
  // frames may come before this one is finished.
  void submit(BufferPtr in, BufferPtr out, bool discont, bool overlap);
  // The oldest frame, when more than `allowed` are under way or nothing is to be waited for. With `all`
  // frames do not wait for their group any longer.
  std::optional<Finished> next(std::size_t allowed, bool all);
  void recycle(Frame *f) { ring_.give_back(f); }
  void discard() noexcept;
  bool empty() const { return pending_.empty() && launched_.empty(); }
  // Buffers of upstream's pool that are held.
  std::size_t inputs_held() const;
  Counts counts() const;

 private:
  struct Queues {
    explicit Queues(Device &);
    std::unique_ptr<Queue> upload, compute, download;
    std::unique_ptr<Event> computed;
  };

  void open(Frame &, GstBuffer *in, GstBuffer *out, bool overlap);
  void launch();
  void write_back(Frame &);
  void complete(Frame &);
  Finished finish_oldest();
  void wait_for_queues() noexcept;
  void drop(std::deque<Frame *> &) noexcept;
  void close(Frame &) noexcept;
  void let_go(BufferPtr &) noexcept;

  Device &device_;
  FrameProcessor &work_;
  Queues queues_;
  FrameRing ring_;
  std::deque<Frame *> pending_;  // wait for their group
  std::deque<Frame *> launched_; // oldest first
  std::vector<FrameProcessor::FrameTask *> jobs_;
  Counts counts_;
  std::vector<BufferPtr> *gone_;
};

} // namespace vigil::gst
