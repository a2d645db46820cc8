// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/exposure/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"

namespace vigil::exposure {
namespace {

class CudaExposure final : public Exposure {
 public:
  explicit CudaExposure(CudaDevice &device) : device_(device), memory_(device, 2 * sizeof(DeviceState)) {
    const auto queue = device.make_queue();
    const DeviceState nothing[2];
    device.upload(memory_.as(), nothing, sizeof nothing, *queue);
    queue->wait();
  }

  ConstImage apply(const ConstImage &frame, const Shifted &background, int channels, const Image &out,
                   Queue &queue) override {
    check(frame, background.picture, channels, out);
    const CudaScope scope = device_.enter();
    DeviceState *const both = state();
    launch_estimate(frame, background, channels, step_for(frame.width, frame.height), colours(), both + now_,
                    both + (1 - now_), stream_of(queue));
    cuda_check(cudaGetLastError(), "estimating the exposure");
    now_ = 1 - now_;
    launch_map(frame, background, channels, colours(), both + now_, host_copy(), out, stream_of(queue));
    cuda_check(cudaGetLastError(), "undoing the exposure");
    return out;
  }
  const Lines *lines() const override { return &state()[now_].lines; }
  void set(const Lines &l, Queue &queue) override {
    device_.upload(&state()[now_].lines, &l, sizeof l, queue);
    queue.wait(); // `l` may go
  }

 private:
  DeviceState *state() const { return memory_.as<DeviceState>(); }
  CudaDevice &device_;
  DeviceBuffer memory_; // two states: the last frame's and this one's
  int now_ = 0;
};

} // namespace

std::unique_ptr<Exposure> make_cuda(Device &device) {
  return std::make_unique<CudaExposure>(device_cast<CudaDevice>(device));
}

} // namespace vigil::exposure
