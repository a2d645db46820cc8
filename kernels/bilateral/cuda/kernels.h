// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA kernels, for backend.cpp. Arguments mean what those of the same names mean to the OpenCL kernels
// (../opencl/pixels.cl).
#pragma once

#include "kernels/bilateral/passes.h"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace vigil::bilateral {

// One task with its planes.
struct CudaPass {
  const std::uint8_t *in, *guide; // guide is `in` without a guide picture
  std::uint8_t *out;
  std::ptrdiff_t in_stride, guide_stride, out_stride; // bytes
  int width, height;
  int step;     // samples from pixel to pixel
  int shift;    // bits below the value in a sample
  bool aligned; // pixels of four bytes are at addresses that are multiples of 4
  float scale[4];
  float spatial; // exponent of a neighbour, for each squared pixel of distance
  float bins[2];
  float table[16];
};

// Which kernels a task takes.
struct CudaKind {
  Mode mode;
  bool wide, has_guide, quantized; // wide: samples of 16 bits
};

// The exact filter. `shared_bytes`: the most that a block of this device may have.
void launch_exact(const CudaKind &, const CudaPass &, int radius, int shared_bytes, cudaStream_t);

// The grid of grid.h: cells of up to four floats each in `cells` and `other`, as many as the plan has. The
// picture of the guide's level l is at l * level_step; pass.scale[3] is full scale.
struct CudaGrid {
  void *cells, *other;
  int columns, rows, levels, border, spacing, taps;
  float level_step;
  float tap[max_taps + 1];
};
void launch_grid(const CudaKind &, const CudaPass &, const CudaGrid &, cudaStream_t);

} // namespace vigil::bilateral
