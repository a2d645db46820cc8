// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/registration/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "kernels/registration/border.h"

#include <utility>

namespace vigil::registration {
namespace {

class CudaRegistration final : public Registration {
 public:
  explicit CudaRegistration(CudaDevice &device) : device_(device), state_(device, sizeof(DeviceState)) {}

  void set_background(const ConstImage &background, Queue &queue) override {
    check_background(background);
    background_ = background;
    const CudaScope scope = device_.enter();
    launch_points(background, state_.as<DeviceState>(), stream_of(queue));
    cuda_check(cudaGetLastError(), "choosing points of the background");
  }

  void find(const ConstImage &frame, AppliedShift *sway, AppliedShift *host_copy, Queue &queue) override {
    check(frame, background_);
    const CudaScope scope = device_.enter();
    auto *const state = state_.as<DeviceState>();
    launch_near(frame, std::exchange(fresh_, false), state, sway, host_copy, stream_of(queue));
    launch_far(frame, background_, state, sway, host_copy, stream_of(queue));
    cuda_check(cudaGetLastError(), "looking for the shift of a frame");
  }

  void forget() override { fresh_ = true; }

 private:
  CudaDevice &device_;
  DeviceBuffer state_;
  ConstImage background_;
  bool fresh_ = true;
};

} // namespace

std::unique_ptr<Registration> make_cuda(Device &device) {
  return std::make_unique<CudaRegistration>(device_cast<CudaDevice>(device));
}

void fill_border_cuda(Device &device, const Image &image, int pixels, Queue &queue) {
  const CudaScope scope = device_cast<CudaDevice>(device).enter();
  for (int i = 0; i < plane_count(image.format); i++) launch_border(image, i, pixels, stream_of(queue));
  cuda_check(cudaGetLastError(), "filling the room around a picture");
}

} // namespace vigil::registration
