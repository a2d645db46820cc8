// SPDX-License-Identifier: LGPL-2.1-or-later
// A stage over time on an OpenCL device; filter.h has the formulas.
#pragma once

#include "common/opencl/program.h"
#include "kernels/filter/definitions.h"

namespace vigil::filter {

class ClTemporal final : public Filter {
 public:
  ClTemporal(ClDevice &, const Temporal &, PixelFormat);
  void set(const Temporal &t) { settings_ = t; }          // what is kept stays
  void apply(ConstImage in, Image out, Queue &) override; // device memory
  void forget() override { width_ = height_ = 0; }

 private:
  ClDevice &device_;
  Temporal settings_;
  PixelFormat format_;
  ClKernel kernel_;
  int width_ = 0, height_ = 0;  // of the frame before; 0: there is none
  DeviceBuffer before_, after_; // m of each channel of each pixel: 16 bits, 32 with 16 bits a sample
};

} // namespace vigil::filter
