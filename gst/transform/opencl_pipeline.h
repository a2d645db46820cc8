// SPDX-License-Identifier: LGPL-2.1-or-later
// The way of a frame through an OpenCL element:
//
//   submit()  the picture is made readable on the device, the element's work submitted, the result fetched behind it. While
//             frames may overlap, each of the three has a queue of its own; otherwise all is in one
//   next()    waits for the oldest frame under way
//
// Not for several threads at once: the element holds a lock around each call.
#pragma once

#include "gst/memory/cuda_opencl_slot.h"
#include "gst/memory/opencl_gl_slot.h"
#include "gst/transform/opencl.h"

#include <deque>
#include <optional>
#include <vector>

namespace vigil::gst {

struct ClStats {
  std::uint64_t frames = 0, worked = 0; // that came out; of them, those that the device worked on
  double kernel_ms = 0;                 // of all of these, by the device's clock
  double kernel_last_ms = 0;            // of the last one
  ByteCounts pictures;                  // copied between host and device
  std::uint64_t result_bytes = 0;
};

class ClPipeline {
 public:
  struct Frame;
  // A frame on its way out. Its result is good until recycle().
  struct Finished {
    BufferPtr buffer;
    FrameTime time;
    ClUse use = ClUse::none;
    ClWork::Result *result = nullptr;
    Frame *frame = nullptr;
  };

  // Both must outlive the pipeline. `before`: what was counted by the one that this takes over from.
  ClPipeline(Device &, ClWork &, const ClStats &before = {});
  ~ClPipeline();

  // No frame may be held. The CUDA device of frames in CUDA memory must outlive the pipeline, too. `beside_gl`: where the
  // device is one of ClBesideGl and frames are in textures that it shares; null otherwise.
  void set_format(const FrameKind &, const CudaFrames &, std::shared_ptr<ClGlContexts> beside_gl);
  // `out` is for ClUse::make and must have no other owner than the caller; with ClUse::change `in` must be writable or, if
  // may_replace(), come with an `out`, which then goes on in its place. `overlap`: further frames may come before this one
  // is finished.
  void submit(BufferPtr in, BufferPtr out, const FrameTime &, ClUse, bool overlap);
  // Whether CUDA hands the frames to OpenCL.
  bool through_cuda() const {
    return device_.backend() == Backend::opencl && (kind_.cuda_memory || (kind_.gl_memory && cuda_.shared));
  }
  bool may_replace() const { return through_cuda() || beside_gl_; }
  // The oldest frame, finished, when more than `allowed` are held.
  std::optional<Finished> next(std::size_t allowed);
  void recycle(Frame *);
  void discard() noexcept; // all frames that are held
  ClStats stats() const;

 private:
  Frame &take_frame();
  std::unique_ptr<Slot> make_slot();

  Device &device_;
  ClWork &work_;
  std::unique_ptr<Queue> upload_, compute_, download_;
  FrameKind kind_;
  CudaFrames cuda_;
  std::shared_ptr<ClGlContexts> beside_gl_;
  std::deque<Frame *> held_;
  std::vector<Frame *> free_;
  std::vector<std::unique_ptr<Frame>> frames_;
  ClStats stats_;
};

} // namespace vigil::gst
