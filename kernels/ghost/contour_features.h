// SPDX-License-Identifier: LGPL-2.1-or-later
// The sums along the outlines of a mask, for each cell of activity's grid: edges as in ghost.h and rims as in
// boundary_contrast.h, in one pass over the mask.
#pragma once

#include "common/device.h"
#include "common/shifted.h"
#include "kernels/ghost/boundary_contrast.h"

#include <memory>

namespace vigil::ghost {

class ContourFeatures {
 public:
  virtual ~ContourFeatures() = default;
  // Writes grid.cells() cells to `edges` and to `rims`, in the device's memory or in its host memory
  // (Device::allocate_host). Frame and background are of one kind and of the mask's size. Throws
  // Error::bad_setting when they are not. The kernel that was submitted to the queue just before this writes
  // none of the pictures: on a GPU they may be read while it still works.
  virtual void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
                     const cell_grid::Grid &, Cell *edges, BoundaryContrast *rims, Queue &) = 0;
};
std::unique_ptr<ContourFeatures> make_reference(); // naive loops; host memory
std::unique_ptr<ContourFeatures> make_cpu(Device &);
std::unique_ptr<ContourFeatures> make_cuda(Device &); // throws no_device when built without CUDA
// In OpenGL compute shaders, called on the thread where the device's context is current. Throws
// Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<ContourFeatures> make_gl(Device &);
std::unique_ptr<ContourFeatures> make(Device &); // the device must outlive it
// What every backend does before it starts.
void check(Plane<const std::uint8_t> mask, const ConstImage &frame, const ConstImage &background,
           const cell_grid::Grid &);

} // namespace vigil::ghost
