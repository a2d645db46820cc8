// SPDX-License-Identifier: LGPL-2.1-or-later
// The stage tonemap on an OpenCL device; filter.h has the formulas. Two kernels: the blocks' means, and the
// pixels.
#pragma once

#include "common/opencl/program.h"
#include "kernels/filter/definitions.h"

#include <vector>

namespace vigil::filter {

class ClTone final : public Filter {
 public:
  ClTone(ClDevice &, const Tone &, PixelFormat);
  void set(const Tone &);
  void apply(ConstImage in, Image out, Queue &) override; // device memory

 private:
  void send_tables(Queue &);

  ClDevice &device_;
  Tone tone_;
  PixelFormat format_;
  ClKernel blocks_, pixels_;
  std::vector<std::int32_t> host_tables_; // until the copy has arrived
  DeviceBuffer tables_, means_;
  bool sent_ = false; // tables_ are tone_'s
};

} // namespace vigil::filter
