// SPDX-License-Identifier: LGPL-2.1-or-later
// The work of glcolinearseg on a CUDA device, frames in any memory that FrameSlot knows. A frame that is not RGBA becomes that
// first. For the streaming thread.
#pragma once

#include "gst/base/frames.h"
#include "gst/glcolinearseg/worker.h"
#include "kernels/colinearseg/segmenter.h"
#include "kernels/rgba/rgba.h"

namespace vigil::gst::glcolinearseg {

class CudaWorker final : public Worker {
 public:
  // For frames like `in` that become frames like `out`, which is RGBA. The device must outlive the worker. Throws Error::bad_setting
  // when the format is not one that kernels read.
  CudaWorker(Device &, const FrameKind &in, const FrameKind &out, const Settings &);
  ~CudaWorker() override;
  int width() const override { return segmenter_->config().width; }
  int height() const override { return segmenter_->config().height; }
  // Frames of other kinds from now on, as large as before.
  void set_kinds(const FrameKind &in, const FrameKind &out);

  void learn(int frames) override { segmenter_->learn(frames); }
  void set_background(const Picture &, int learn_frames) override;
  // Segments `in`. What output says goes into `out`, the frame as it is with output=passthrough; null: nothing goes out. Waits until
  // all of it is done. Both must stay, and be writable where they are written.
  Found process(GstBuffer *in, GstBuffer *out, const Settings &, ByteCounts &);
  Stats stats() const override;

  colinearseg::State save() const override { return segmenter_->save(); }
  void load(const colinearseg::State &s) override { segmenter_->load(s); }

 private:
  ConstImage as_rgba(ConstImage frame, const Image *target);
  Found count(const MotionSettings &);

  Device &device_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<colinearseg::Segmenter> segmenter_;
  std::unique_ptr<rgba::Converter> converter_;
  std::unique_ptr<FrameSlot> reader_, writer_;
  rgba::Conversion conversion_;
  bool converts_ = false; // what comes is not RGBA
  DeviceBuffer converted_;
  CopyLayout layout_; // of converted_
  activity::Grid grid_;
  DeviceBuffer cells_;
  HostBuffer host_cells_;
  compose::Style style_;
  FrameTimes times_;
  Stats stats_;
};

} // namespace vigil::gst::glcolinearseg
