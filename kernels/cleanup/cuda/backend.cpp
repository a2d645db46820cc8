// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/cleanup/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "kernels/cleanup/cleanup.h"

namespace vigil::cleanup {
namespace {

class CudaCleanup final : public Cleanup {
 public:
  CudaCleanup(CudaDevice &device, int width, int height) : device_(device), width_(width), height_(height) {
    check_size(width, height);
    bits_ = DeviceBuffer(device, sizeof(std::uint32_t) * ((width + 31) / 32) * height);
  }

  void apply(Plane<std::uint8_t> mask, Plane<const std::uint8_t> watch, const Params &params,
             Queue &queue) override {
    check_planes(width_, height_, mask, watch);
    const Radii r = resolve(params);
    if (r.median + r.open + r.close == 0 && !watch.data) return;
    const CudaScope scope = device_.enter();
    launch_pack(mask, watch, r.median, bits_.as<std::uint32_t>(), stream_of(queue));
    cuda_check(cudaGetLastError(), "clean-up, median");
    launch_morphology(bits_.as<std::uint32_t>(), r.open, r.close, mask, watch, stream_of(queue));
    cuda_check(cudaGetLastError(), "clean-up, open and close");
  }

 private:
  CudaDevice &device_;
  int width_, height_;
  DeviceBuffer bits_;
};

} // namespace

std::unique_ptr<Cleanup> make_cuda(Device &device, int width, int height) {
  return std::make_unique<CudaCleanup>(device_cast<CudaDevice>(device), width, height);
}

} // namespace vigil::cleanup
