// SPDX-License-Identifier: LGPL-2.1-or-later
// Difference pictures on a GPU: the pictures that are kept, and the launch.
#include "kernels/fisher/motion.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "kernels/fisher/cuda/motion.h"

namespace vigil::fisher {
namespace {

class CudaDifference final : public Difference {
 public:
  CudaDifference(CudaDevice &device, int width, int height, int lag)
      : Difference(width, height, lag), device_(device),
        picture_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
        memory_(device, picture_ * (static_cast<std::size_t>(lag) + 1)) {}

 private:
  ConstImage work(const ConstImage &frame, int slot, bool known, bool difference, Queue &queue) override {
    const CudaScope scope = device_.enter();
    auto *const result = memory_.as<std::uint8_t>(), *const kept = result + picture_ * std::size_t(slot + 1);
    cuda::launch_difference(frame, kept, known, difference ? result : nullptr, stream_of(queue));
    ConstImage image{PixelFormat::gray8, width(), height()};
    image.data[0] = result;
    image.stride[0] = width();
    return image;
  }
  CudaDevice &device_;
  std::size_t picture_;
  DeviceBuffer memory_; // the difference picture, then those that are kept
};

} // namespace

std::unique_ptr<Difference> make_cuda_difference(Device &device, int width, int height, int lag) {
  return std::make_unique<CudaDifference>(device_cast<CudaDevice>(device), width, height, lag);
}

} // namespace vigil::fisher
