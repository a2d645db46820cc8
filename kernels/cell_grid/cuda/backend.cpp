// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/cell_grid/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"

namespace vigil::cell_grid {
namespace {

class CudaCounter final : public Counter {
 public:
  explicit CudaCounter(CudaDevice &device) : device_(device) {}
  void apply(Plane<const std::uint8_t> mask, const Grid &grid, Cell *cells, Queue &queue) override {
    check_grid(mask, grid);
    const CudaScope scope = device_.enter();
    launch_count(mask, grid, cells, stream_of(queue));
    cuda_check(cudaGetLastError(), "counting foreground");
  }

 private:
  CudaDevice &device_;
};

} // namespace

std::unique_ptr<Counter> make_cuda(Device &device) {
  return std::make_unique<CudaCounter>(device_cast<CudaDevice>(device));
}

} // namespace vigil::cell_grid
