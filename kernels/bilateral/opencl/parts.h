// SPDX-License-Identifier: LGPL-2.1-or-later
// What the parts of the OpenCL backend tell each other.
#pragma once

#include "common/opencl/program.h"
#include "kernels/bilateral/passes.h"

#include <compare>
#include <map>

namespace vigil::bilateral {

// A task with its planes. What pixels.cl calls MODE is its mode.
struct Pass : Task {
  ClPlane in, guide, out; // guide is `in` without a guide picture
  bool aligned = true;
};
// Definitions for pixels.cl.
std::string definitions(const Pass &, int radius, bool quantized, bool native);
inline cl_float4 cl_scale(const Scale &s) {
  return {{s[0], s[1], s[2], s[3]}};
}

class ClGrid {
 public:
  explicit ClGrid(ClDevice &d) : device_(d) {}
  void apply(const Pass &, ClQueue &);

 private:
  struct Key {
    Mode mode;
    bool aligned, guide;
    int bits, shift, taps, levels_at_once;
    auto operator<=>(const Key &) const = default;
  };
  struct Kernels {
    ClKernel splat, blur, slice;
  };
  Kernels &kernels_for(const Pass &, const GridPlan &);

  ClDevice &device_;
  std::map<Key, Kernels> kernels_;
  GridPlans plans_;
  DeviceBuffer grid_[2];
};

} // namespace vigil::bilateral
