// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames as they would look without what the camera's exposure and white balance did since the background
// was learnt (kernels/exposure). CUDA and the CPU.
#pragma once

#include "gst/memory/slots.h"
#include "kernels/colinearseg/segmenter.h"
#include "kernels/exposure/exposure.h"

#include <memory>

namespace vigil::gst::glcolinearseg {

class Steady {
 public:
  explicit Steady(Device &device) : device_(device), exposure_(exposure::make(device)) {}
  // Frames are RGBA of this layout.
  void set_format(const CopyLayout &);
  // Nothing is known of the exposure: another background, or it was not looked at.
  void forget() { known_ = false; }
  // The picture to segment, which is `frame` itself or one that stays until the next call. The segmenter has
  // its background, and has segmented a frame with it.
  ConstImage apply(const ConstImage &frame, colinearseg::Segmenter &, const compose::Style &, Queue &);

 private:
  Device &device_;
  std::unique_ptr<exposure::Exposure> exposure_;
  CopyLayout layout_;
  DeviceBuffer background_, mapped_; // made when they are needed
  bool known_ = false;
  int age_ = 0; // frames since background_ was drawn
};

} // namespace vigil::gst::glcolinearseg
