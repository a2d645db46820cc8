// SPDX-License-Identifier: LGPL-2.1-or-later
// The way from p010 to rgba64 and back on an OpenCL device; filter.h has the formulas.
#pragma once

#include "common/opencl/program.h"
#include "kernels/filter/yuv.h"

namespace vigil::filter {

class ClYuv {
 public:
  ClYuv(ClDevice &, const Coding &);
  // Pictures of one size, in device memory; pixels of rgba64 at multiples of their size.
  void open(ConstImage p010, Image rgba64, Queue &);
  void close(ConstImage rgba64, Image p010, Queue &);

 private:
  ClDevice &device_;
  ClProgram program_;
  ClKernel open_, close_;
};

} // namespace vigil::filter
