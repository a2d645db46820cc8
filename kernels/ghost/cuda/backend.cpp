// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/ghost/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"

namespace vigil::ghost {
namespace {

class CudaOutlines final : public ContourFeatures {
 public:
  explicit CudaOutlines(CudaDevice &device) : device_(device) {}
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
             const cell_grid::Grid &grid, Cell *edges, BoundaryContrast *rims, Queue &queue) override {
    check(mask, frame, background.picture, grid);
    const CudaScope scope = device_.enter();
    launch_outlines(mask, frame, background, grid, edges, rims, stream_of(queue));
    cuda_check(cudaGetLastError(), "sums along outlines");
  }

 private:
  CudaDevice &device_;
};

} // namespace

std::unique_ptr<ContourFeatures> make_cuda(Device &device) {
  return std::make_unique<CudaOutlines>(device_cast<CudaDevice>(device));
}

} // namespace vigil::ghost
