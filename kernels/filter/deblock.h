// SPDX-License-Identifier: LGPL-2.1-or-later
// The stage deblock on an OpenCL device; filter.h has the formulas.
#pragma once

#include "common/opencl/program.h"
#include "kernels/filter/definitions.h"

namespace vigil::filter {

class ClDeblock final : public Filter {
 public:
  ClDeblock(ClDevice &, const Blocks &, PixelFormat);
  void set(const Blocks &b) { blocks_ = b; }
  void apply(ConstImage in, Image out, Queue &) override; // device memory

 private:
  ClDevice &device_;
  Blocks blocks_;
  PixelFormat format_;
  ClKernel kernel_;
};

} // namespace vigil::filter
