// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames as they would look without what the camera's exposure and white balance did since the background
// was learnt (kernels/exposure). On CUDA and the CPU; OpenGL has
// gl_steady.h.
#pragma once

#include "gst/glcolinearseg/comparison.h"
#include "gst/memory/frame_mapping.h"
#include "kernels/colinearseg/segmenter.h"
#include "kernels/exposure/exposure.h"

#include <memory>

namespace vigil::gst::glcolinearseg {

class Steady {
 public:
  explicit Steady(Device &device) : device_(device), exposure_(exposure::make(device)) {}
  // Frames are RGBA of this layout.
  void set_format(const CopyLayout &);
  // Another background.
  void restart() { comparison_.restart(); }
  // The picture to segment, which is `frame` itself or one that stays until the next call.
  ConstImage apply(const ConstImage &frame, bool wanted, colinearseg::Segmenter &, const compose::Style &,
                   Queue &);

 private:
  Device &device_;
  std::unique_ptr<exposure::Exposure> exposure_;
  CopyLayout layout_;
  DeviceBuffer background_, mapped_; // made when they are needed
  Comparison comparison_;
};

inline void Steady::set_format(const CopyLayout &layout) {
  layout_ = layout;
  background_ = DeviceBuffer();
  mapped_ = DeviceBuffer();
  comparison_.forget();
}

inline ConstImage Steady::apply(const ConstImage &frame, bool wanted, colinearseg::Segmenter &segmenter,
                                const compose::Style &style, Queue &queue) {
  using enum Comparison::Act;
  const Comparison::Act act = comparison_.next(segmenter.progress().learning(), wanted);
  if (act == leave) return frame;
  if (!mapped_) {
    background_ = DeviceBuffer(device_, layout_.bytes());
    mapped_ = DeviceBuffer(device_, layout_.bytes());
  }
  const Image background = layout_.at(background_.as());
  if (act == begin) exposure_->set({}, queue);
  if (act != go_on) segmenter.draw(colinearseg::Show::background, frame, style, background, queue);
  return exposure_->apply(frame, background, 3, layout_.at(mapped_.as()), queue);
}

} // namespace vigil::gst::glcolinearseg
