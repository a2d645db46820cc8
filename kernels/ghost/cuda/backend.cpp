// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/ghost/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"

namespace vigil::ghost {
namespace {

class CudaEdges final : public Edges {
 public:
  explicit CudaEdges(CudaDevice &device) : device_(device) {}
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
             const activity::Grid &grid, Cell *cells, Queue &queue) override {
    check(mask, frame, background.picture, grid);
    const CudaScope scope = device_.enter();
    launch_edges(mask, frame, background, grid, cells, stream_of(queue));
    cuda_check(cudaGetLastError(), "edges along outlines");
  }

 private:
  CudaDevice &device_;
};

class CudaRims final : public Rims {
 public:
  explicit CudaRims(CudaDevice &device) : device_(device) {}
  void apply(Plane<const std::uint8_t> mask, const ConstImage &frame, const Shifted &background,
             const activity::Grid &grid, Rim *cells, Queue &queue) override {
    check(mask, frame, background.picture, grid);
    const CudaScope scope = device_.enter();
    launch_rims(mask, frame, background, grid, cells, stream_of(queue));
    cuda_check(cudaGetLastError(), "rims of outlines");
  }

 private:
  CudaDevice &device_;
};

} // namespace

std::unique_ptr<Edges> make_cuda(Device &device) {
  return std::make_unique<CudaEdges>(device_cast<CudaDevice>(device));
}

std::unique_ptr<Rims> make_rims_cuda(Device &device) {
  return std::make_unique<CudaRims>(device_cast<CudaDevice>(device));
}

} // namespace vigil::ghost
