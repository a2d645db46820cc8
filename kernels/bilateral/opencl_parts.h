// SPDX-License-Identifier: LGPL-2.1-or-later
// What the parts of the OpenCL backend tell each other.
#pragma once

#include "common/opencl/program.h"
#include "kernels/bilateral/grid.h"

#include <compare>
#include <map>

namespace vigil::bilateral {

// What pixels.cl calls MODE.
enum class Mode { one = 1, intensity = 2, channels = 3 };

// One plane, or one channel of a plane, to be filtered.
struct Pass {
  ClPlane in, guide, out; // guide is `in` without a guide picture
  int step = 1;           // samples from pixel to pixel
  bool has_guide = false;
  bool aligned = true;
  bool bgr = false;
  Mode mode = Mode::one;
  PixelFormat format = PixelFormat::gray8;
  Window window;
};
// Definitions for pixels.cl.
std::string definitions(const Pass &, int radius, bool quantized, bool native);
// What weights are made from, for weights G(I - I'; sigma) written as exp2(-d^2); sigma in parts of full scale.
cl_float4 scale_for(const Pass &, double range_sigma);

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
  const GridPlan &plan_for(const Pass &);

  ClDevice &device_;
  std::map<Key, Kernels> kernels_;
  struct Planned {
    Window window;
    int width, height;
    GridPlan plan;
  };
  Planned planned_[2] = {}; // luma's and chroma's
  DeviceBuffer grid_[2];
};

} // namespace vigil::bilateral
