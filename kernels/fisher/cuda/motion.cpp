// SPDX-License-Identifier: LGPL-2.1-or-later
// Difference pictures on a GPU: the launch.
#include "kernels/fisher/motion.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "kernels/fisher/cuda/motion.h"

namespace vigil::fisher {
namespace {

class CudaDifference final : public Difference {
 public:
  CudaDifference(CudaDevice &device, int width, int height, int lag)
      : Difference(device, width, height, lag), device_(device) {}

 private:
  void work(const ConstImage &frame, std::uint8_t *kept, bool known, std::uint8_t *difference,
            Queue &queue) override {
    const CudaScope scope = device_.enter();
    cuda::launch_difference(frame, kept, known, difference, stream_of(queue));
  }
  CudaDevice &device_;
};

} // namespace

std::unique_ptr<Difference> make_cuda_difference(Device &device, int width, int height, int lag) {
  return std::make_unique<CudaDifference>(device_cast<CudaDevice>(device), width, height, lag);
}

} // namespace vigil::fisher
