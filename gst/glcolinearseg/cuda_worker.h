// SPDX-License-Identifier: LGPL-2.1-or-later
// The work of glcolinearseg on a CUDA device, frames in any memory that FrameSlot knows. A frame that is not RGBA becomes that
// first. Several frames may be under way; they come out in order. For the streaming thread.
//
//   submit()  convert -> segment -> draw -> count       all on one queue, frame behind frame
//             then, on the frame's own queue, to where it goes out; an overlay waits with that for its boxes
//   next()    when its counts are there: blobs, boxes
#pragma once

#include "gst/frames/buffer_ptr.h"
#include "gst/glcolinearseg/worker.h"
#include "gst/memory/slots.h"
#include "kernels/colinearseg/segmenter.h"
#include "kernels/rgba/rgba.h"

#include <deque>
#include <utility>

namespace vigil::gst::glcolinearseg {

struct Finished {
  BufferPtr buffer;
  FrameTime time;
  MotionSettings motion;
  Found found;
  bool discont = false;
};

class CudaWorker final : public Worker {
 public:
  // For frames like `in` that become frames like `out`, which is RGBA. The device must outlive the worker. Throws Error::bad_setting
  // when the format is not one that kernels read.
  CudaWorker(Device &, const FrameKind &in, const FrameKind &out, const Settings &);
  ~CudaWorker() override;
  int width() const override { return segmenter_->config().width; }
  int height() const override { return segmenter_->config().height; }
  // Frames of other kinds from now on, as large as before. None may be under way.
  void set_kinds(const FrameKind &in, const FrameKind &out);

  void learn(int frames) override { segmenter_->learn(frames); }
  void set_background(const Picture &, int learn_frames) override;
  // Segments `in`. Where `written`, what output says goes into `out`, which is writable: the frame as it is with output=passthrough.
  void submit(BufferPtr in, BufferPtr out, bool written, const FrameTime &, bool discont, const Settings &);
  // The oldest frame, where more than `held` are under way.
  std::optional<Finished> next(std::size_t held);
  void discard() noexcept;                                        // all that are under way
  ByteCounts take_copied() { return std::exchange(copied_, {}); } // of pictures, since the last call
  Stats stats() const override;

  colinearseg::State save() const override { return segmenter_->save(); }
  void load(const colinearseg::State &s) override { segmenter_->load(s); }

 private:
  struct Frame;
  Frame &free_frame();
  ConstImage as_rgba(ConstImage frame, const Image *target);
  void submit(Frame &, const Settings &);
  void send(Frame &);
  std::optional<Finished> oldest(std::size_t held);
  Found found_of(const Frame &) const;

  Device &device_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<colinearseg::Segmenter> segmenter_;
  std::unique_ptr<rgba::Converter> converter_;
  FrameKind in_, out_;
  rgba::Conversion conversion_;
  bool converts_ = false; // what comes is not RGBA
  DeviceBuffer converted_;
  CopyLayout layout_; // of converted_
  activity::Grid grid_;
  compose::Style style_;
  FrameTimes times_;
  std::vector<std::unique_ptr<Frame>> frames_; // all there are
  std::vector<Frame *> free_;
  std::deque<Frame *> under_way_; // oldest first
  ByteCounts copied_;
  Stats stats_;
};

} // namespace vigil::gst::glcolinearseg
