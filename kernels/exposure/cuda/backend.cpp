// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/exposure/cuda/kernels.h"

#include "common/cuda/device.h"
#include "common/device_cast.h"

namespace vigil::exposure {
namespace {

class CudaExposure final : public Exposure {
 public:
  explicit CudaExposure(CudaDevice &device) : device_(device), memory_(device, 2 * sizeof(Lines)) {
    const auto queue = device.make_queue();
    set({}, *queue);
    queue->wait();
  }

  ConstImage apply(const ConstImage &frame, const Shifted &background, int channels, const Image &out,
                   Queue &queue) override {
    check(frame, background.picture, channels, out);
    const CudaScope scope = device_.enter();
    Lines *const both = memory_.as<Lines>();
    launch_estimate(frame, background, channels, step_for(frame.width, frame.height), both + now_,
                    both + (1 - now_), told(), stream_of(queue));
    cuda_check(cudaGetLastError(), "estimating the exposure");
    now_ = 1 - now_;
    launch_map(frame, background, channels, both + now_, out, stream_of(queue));
    cuda_check(cudaGetLastError(), "undoing the exposure");
    return out;
  }
  const Lines *lines() const override { return memory_.as<Lines>() + now_; }
  void set(const Lines &l, Queue &queue) override {
    device_.upload(memory_.as<Lines>() + now_, &l, sizeof l, queue);
    queue.wait(); // `l` may go
  }

 private:
  CudaDevice &device_;
  DeviceBuffer memory_; // two Lines: the last frame's and this one's
  int now_ = 0;
};

} // namespace

std::unique_ptr<Exposure> make_cuda(Device &device) {
  return std::make_unique<CudaExposure>(device_cast<CudaDevice>(device));
}

} // namespace vigil::exposure
