// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/tamper/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"

namespace vigil::tamper {
namespace {

class CudaSampler final : public Sampler {
 public:
  explicit CudaSampler(CudaDevice &device) : device_(device) {}
  void apply(const ConstImage &picture, Spot *spots, Queue &queue) override {
    check(picture);
    const CudaScope scope = device_.enter();
    launch_spots(picture, layout_for(picture.width, picture.height), spots, stream_of(queue));
    cuda_check(cudaGetLastError(), "spots of a sketch");
  }

 private:
  CudaDevice &device_;
};

} // namespace

std::unique_ptr<Sampler> make_cuda(Device &device) {
  return std::make_unique<CudaSampler>(device_cast<CudaDevice>(device));
}

} // namespace vigil::tamper
